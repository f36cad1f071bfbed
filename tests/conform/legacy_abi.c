/* SPDX-License-Identifier: MIT */
/* The entry points that GCC called up to version 4.8: regions as start and end around the caller's own part. */
#include <stdbool.h>

#include "conform.h"

extern void GOMP_parallel_start(void (*)(void *), void *, unsigned);
extern void GOMP_parallel_end(void);
extern void GOMP_parallel_loop_static_start(void (*)(void *), void *, unsigned, long, long, long, long);
extern void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
extern void GOMP_parallel_loop_guided_start(void (*)(void *), void *, unsigned, long, long, long, long);
extern void GOMP_parallel_loop_runtime_start(void (*)(void *), void *, unsigned, long, long, long);
extern void GOMP_parallel_sections_start(void (*)(void *), void *, unsigned, unsigned);
extern bool GOMP_loop_static_next(long *, long *);
extern bool GOMP_loop_dynamic_next(long *, long *);
extern bool GOMP_loop_guided_next(long *, long *);
extern bool GOMP_loop_runtime_next(long *, long *);
extern void GOMP_loop_end_nowait(void);
extern unsigned GOMP_sections_next(void);
extern void GOMP_sections_end_nowait(void);

static long count, mask;

static void plain(void *data)
{
    CHECK(data == &count && omp_get_num_threads() == 3);
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
}

#define LOOP_BODY(kind)                                                                                                \
    static void kind##_body(void *data)                                                                                \
    {                                                                                                                  \
        long from, to;                                                                                                 \
                                                                                                                       \
        CHECK(data == &count);                                                                                         \
        while (GOMP_loop_##kind##_next(&from, &to))                                                                    \
            for (; from < to; from++)                                                                                  \
                __atomic_add_fetch(&count, from, __ATOMIC_RELAXED);                                                    \
        GOMP_loop_end_nowait();                                                                                        \
    }
LOOP_BODY(static)
LOOP_BODY(dynamic)
LOOP_BODY(guided)
LOOP_BODY(runtime)

static void section_body(void *data)
{
    CHECK(data == &mask);
    for (unsigned which = GOMP_sections_next(); which; which = GOMP_sections_next())
        __atomic_or_fetch(&mask, 1L << which, __ATOMIC_RELAXED);
    GOMP_sections_end_nowait();
}

#define RUN(start, body, expected)                                                                                     \
    do {                                                                                                               \
        count = 0;                                                                                                     \
        start;                                                                                                         \
        CHECK(omp_get_thread_num() == 0);                                                                              \
        body(&count);                                                                                                  \
        GOMP_parallel_end();                                                                                           \
        CHECK(count == (expected) && omp_get_level() == 0);                                                            \
    } while (0)

int main(void)
{
    for (int round = 0; round < 20; round++) {
        RUN(GOMP_parallel_start(plain, &count, 3), plain, 3);
        RUN(GOMP_parallel_loop_static_start(static_body, &count, 4, 0, 100, 1, 7), static_body, 4950);
        RUN(GOMP_parallel_loop_dynamic_start(dynamic_body, &count, 4, 0, 100, 1, 3), dynamic_body, 4950);
        RUN(GOMP_parallel_loop_guided_start(guided_body, &count, 2, 0, 100, 1, 1), guided_body, 4950);
        RUN(GOMP_parallel_loop_runtime_start(runtime_body, &count, 4, 0, 100, 1), runtime_body, 4950);
        mask = 0;
        GOMP_parallel_sections_start(section_body, &mask, 3, 5);
        section_body(&mask);
        GOMP_parallel_end();
        CHECK(mask == 0x3e);
    }
    return conform_end();
}
