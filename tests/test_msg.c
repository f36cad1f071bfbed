/* SPDX-License-Identifier: MIT */
/* The formatter against the C library's, cut texts, lists of CPUs, one line per message, the limit on their number. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "icv.h"
#include "msg.h"

#define SAME(...)                                                   \
    do {                                                            \
        char mine_[256], theirs_[256];                              \
        struct tn_buf b_ = tn_buf_init(mine_, sizeof mine_);        \
        tn_buf_fmt(&b_, __VA_ARGS__);                               \
        int n_ = snprintf(theirs_, sizeof theirs_, __VA_ARGS__);    \
        cr_expect_str_eq(mine_, theirs_);                           \
        cr_expect_eq(b_.len, (size_t)n_);                           \
    } while (0)

Test(msg, formats_as_the_c_library)
{
    SAME("plain");
    SAME("%d %d %d %d", 0, -1, INT_MAX, INT_MIN);
    SAME("%u %x", UINT_MAX, 0xbeefu);
    SAME("%ld %ld %lu %lx %zu", LONG_MAX, LONG_MIN, ULONG_MAX, 0x123456789abcdeful, (size_t)77);
    SAME("[%s]%c%%[%s]", "text", 'x', "");
    SAME("%p", (void *)(uintptr_t)0x1000);
}

Test(msg, cuts_and_counts)
{
    char text[8];
    struct tn_buf b = tn_buf_init(text, sizeof text);
    tn_buf_fmt(&b, "%s-%d", "abcdef", 12345);
    cr_expect_str_eq(text, "abcdef-");
    cr_expect_eq(b.len, 12);
    struct tn_buf none = tn_buf_init(NULL, 0);
    tn_buf_fmt(&none, "%d", 123);
    cr_expect_eq(none.len, 3);
}

Test(msg, lists_of_cpus)
{
    char text[64];
    cpu_set_t set;
    struct tn_buf b = tn_buf_init(text, sizeof text);
    CPU_ZERO(&set);
    tn_buf_cpus(&b, &set, sizeof set);
    cr_expect_str_eq(text, "");
    CPU_SET(0, &set);
    CPU_SET(3, &set);
    CPU_SET(4, &set);
    CPU_SET(5, &set);
    CPU_SET(1023, &set);
    tn_buf_cpus(&b, &set, sizeof set);
    cr_expect_str_eq(text, "0,3-5,1023");
}

/* What `say` writes to standard error. */
static size_t heard(void (*say)(void), char *text, size_t size)
{
    int pipes[2], saved = dup(STDERR_FILENO);
    cr_assert_eq(pipe2(pipes, O_NONBLOCK), 0);
    dup2(pipes[1], STDERR_FILENO);
    say();
    dup2(saved, STDERR_FILENO);
    ssize_t n = read(pipes[0], text, size - 1);
    close(pipes[0]);
    close(pipes[1]);
    close(saved);
    n = n < 0 ? 0 : n;
    text[n] = '\0';
    return (size_t)n;
}

static void say_long(void)
{
    char word[3000];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    tn_warn("%s", word);
}

static void say_verbose(void)
{
    tn_verbose("here");
}

static void say_errno(void)
{
    errno = 42;
    tn_warn("x");
    cr_expect_eq(errno, 42);
}

static void say_often(void)
{
    for (int i = 0; i < 10 * TN_WARN_MAX; i++)
        tn_warn("%d", i);
}

Test(msg, one_line_each)
{
    char text[16384];
    size_t n = heard(say_long, text, sizeof text);
    cr_expect(n < 2000 && text[n - 1] == '\n' && strchr(text, '\n') == text + n - 1);
    cr_expect_eq(strncmp(text, "tenure: www", 11), 0);
    cr_expect_eq(heard(say_errno, text, sizeof text), strlen("tenure: x\n"));
    cr_expect_eq(heard(say_verbose, text, sizeof text), 0, "not asked for");
    tn_global.verbose = true;
    heard(say_verbose, text, sizeof text);
    cr_expect_str_eq(text, "tenure: here\n");
}

Test(msg, not_without_end)
{
    char text[16384];
    heard(say_often, text, sizeof text);
    unsigned lines = 0;
    for (char *s = text; (s = strchr(s, '\n')) != NULL; s++)
        lines++;
    cr_expect_eq(lines, TN_WARN_MAX + 1);
    cr_expect(strstr(text, "more warnings"));
}

static void say_fatal(void)
{
    tn_fatal("cannot");
}

Test(msg, fatal_ends_the_process, .exit_code = 1)
{
    say_fatal();
}
