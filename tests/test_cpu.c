/* SPDX-License-Identifier: MIT */
/* The ladder and TENURE_I8_VARIANT. Each test is a process of its own, so each chooses anew. */
#include <criterion/criterion.h>

#include "cpu.h"
#include "i8_support.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

Test(cpu, best_first)
{
    const tn_i8_variant *v = NULL;
    unsetenv("TENURE_I8_VARIANT");
    cr_assert_eq(tn_i8_variant_choose(&v), 0);
    for (const tn_i8_variant *const *w = tn_i8_variants; *w != v; w++)
        cr_assert(!tn_i8_variant_usable(*w), "%s is better than %s", (*w)->name, v->name);
    cr_assert(tn_i8_variant_usable(v));
}

/* What the kernel says of this processor agrees with us (it lists a feature only if it enabled its state). */
Test(cpu, agrees_with_the_kernel)
{
    static const struct {
        const char *flag;
        uint32_t bit;
    } rows[] = {{" avx2", TN_CPU_AVX2}, {" avx_vnni", TN_CPU_AVX_VNNI}, {" avx512_vnni", TN_CPU_AVX512_VNNI},
                {" amx_int8", TN_CPU_AMX_INT8}, {" asimddp", TN_CPU_DOTPROD}};
    static char line[1 << 14];
    FILE *f = fopen("/proc/cpuinfo", "r");
    cr_assert(f);
#ifdef __aarch64__
    const char *title = "Features";
#else
    const char *title = "flags";
#endif
    bool found = false;
    while (!found && fgets(line, sizeof line, f))
        found = strncmp(line, title, strlen(title)) == 0;
    fclose(f);
    if (!found) {
        fprintf(stderr, "SKIPPED: /proc/cpuinfo is another architecture's (an emulator's host)\n");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = strstr(line, rows[i].flag);
        const bool listed = at && strchr(" \n", at[strlen(rows[i].flag)]);
        cr_assert_eq(!!(tn_cpu_features() & rows[i].bit), listed, "%s", rows[i].flag);
    }
}

Test(cpu, override)
{
    const tn_i8_variant *v = NULL;
    setenv("TENURE_I8_VARIANT", "portable", 1);
    cr_assert_eq(tn_i8_variant_choose(&v), 0);
    cr_assert_str_eq(v->name, "portable");
    unsetenv("TENURE_I8_VARIANT"); /* asked once */
    cr_assert_eq(tn_i8_variant_choose(&v), 0);
    cr_assert_str_eq(v->name, "portable");
}

/* One clear line, once; every call is refused and changes nothing. */
static void refused_as(const char *name, const char *why)
{
    int pipes[2];
    char text[1024];
    cr_assert_eq(pipe(pipes), 0);
    const int old = dup(STDERR_FILENO);
    dup2(pipes[1], STDERR_FILENO);
    setenv("TENURE_I8_VARIANT", name, 1);
    const tn_i8_variant *v = &tn_i8_portable;
    const int first = tn_i8_variant_choose(&v), second = tn_i8_variant_choose(&v);
    dup2(old, STDERR_FILENO);
    close(pipes[1]);
    const ssize_t n = read(pipes[0], text, sizeof text - 1);
    cr_assert_gt(n, 0);
    text[n] = 0;
    cr_assert_eq(first, -ENOTSUP);
    cr_assert_eq(second, -ENOTSUP);
    cr_assert_eq(v, &tn_i8_portable);
    cr_assert(strstr(text, why) && strstr(text, name) && strstr(text, " portable"), "%s", text);
    cr_assert_eq(strchr(text, '\n'), text + n - 1, "%s", text);
}

Test(cpu, override_unknown)
{
    refused_as("avx9000", "no such variant");
}

Test(cpu, override_that_cannot_run)
{
    const tn_i8_variant *cannot = NULL;
    for (const tn_i8_variant *const *v = tn_i8_variants; *v && !cannot; v++)
        if (!tn_i8_variant_usable(*v))
            cannot = *v;
    if (!cannot)
        fprintf(stderr, "SKIPPED: every variant can run here\n");
    else
        refused_as(cannot->name, "does not permit it");
}

Test(cpu, warm_is_harmless)
{
    tn_i8_thread_warm();
    tn_i8_thread_warm();
}
