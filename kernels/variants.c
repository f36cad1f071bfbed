/* SPDX-License-Identifier: MIT */
/* The ladder: which variant runs. Chosen at the first int8 call of the process, never at load. Any thread; two that
 * resolve at once find the same answer, so the stored one needs no order (it points to constant data). */
#include "variants.h"

#include "cpu.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const tn_i8_layout tn_i8_layouts[TN_I8_LAYOUTS] = {
    [TN_I8_K2N16] = {2, 16, 1},
    [TN_I8_K4N16] = {4, 16, 1},
    [TN_I8_K4N32] = {4, 32, 16}, /* a tile of AMX is 16 groups deep */
};

const tn_i8_variant *const tn_i8_variants[] = {
#ifdef __x86_64__
    &tn_i8_amx, &tn_i8_avx512vnni, &tn_i8_avxvnni, &tn_i8_avx2,
#elif defined(__aarch64__)
    &tn_i8_neon,
#endif
    &tn_i8_portable, &tn_i8_portable_k4n32, &tn_i8_portable_k2n16, NULL,
};

/* TN_CPU_* bits that may be used, with KNOWN set once they have been asked for. */
enum { KNOWN = 1u << 31 };
static _Atomic uint32_t usable_features;

static uint32_t features(void)
{
    uint32_t f = atomic_load_explicit(&usable_features, memory_order_relaxed);
    if (f)
        return f;
    f = tn_cpu_features();
    if ((f & TN_CPU_AMX_INT8) && tn_cpu_permit_amx() != 0)
        f &= ~(uint32_t)TN_CPU_AMX_INT8;
    atomic_store_explicit(&usable_features, f | KNOWN, memory_order_relaxed);
    return f | KNOWN;
}

bool tn_i8_variant_usable(const tn_i8_variant *v)
{
    return (features() & v->needs) == v->needs;
}

const tn_i8_variant *tn_i8_variant_find(const char *name)
{
    for (const tn_i8_variant *const *v = tn_i8_variants; *v; v++)
        if (strcmp((*v)->name, name) == 0)
            return *v;
    return NULL;
}

/* One line on standard error: what was asked, why not, what would do. Cut if the name is absurdly long. */
static void refuse(const char *name, const char *why)
{
    char line[400] = "tenure: TENURE_I8_VARIANT=";
    strncat(line, name, 40);
    strcat(line, why);
    for (const tn_i8_variant *const *v = tn_i8_variants; *v; v++)
        if (tn_i8_variant_usable(*v)) {
            strcat(line, " ");
            strcat(line, (*v)->name);
        }
    strcat(line, "\n");
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
}

static const tn_i8_variant refused = {.name = "refused"};

static __attribute__((cold, noinline)) const tn_i8_variant *choose_slow(void)
{
    const char *name = secure_getenv("TENURE_I8_VARIANT");
    if (!name || !*name) {
        const tn_i8_variant *const *v = tn_i8_variants;
        while (!tn_i8_variant_usable(*v))
            v++;
        return *v;
    }
    const tn_i8_variant *v = tn_i8_variant_find(name);
    if (v && tn_i8_variant_usable(v))
        return v;
    refuse(name, v ? ": this processor or kernel does not permit it; usable here:" : ": no such variant; usable here:");
    return &refused;
}

int tn_i8_variant_choose(const tn_i8_variant **v)
{
    static const tn_i8_variant *_Atomic chosen;
    const tn_i8_variant *got = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (__builtin_expect(!got, 0)) {
        /* The first to store wins, so that one process never works with two answers. */
        const tn_i8_variant *mine = choose_slow();
        if (atomic_compare_exchange_strong_explicit(&chosen, &got, mine, memory_order_relaxed, memory_order_relaxed))
            got = mine;
    }
    if (got == &refused)
        return -ENOTSUP;
    *v = got;
    return 0;
}

const tn_i8_variant *tn_i8_variant_for(unsigned layout, const tn_i8_variant *preferred)
{
    if (preferred->layout == layout)
        return preferred;
    const tn_i8_variant *const *v = tn_i8_variants;
    while (*v && ((*v)->layout != layout || !tn_i8_variant_usable(*v)))
        v++;
    return *v;
}
