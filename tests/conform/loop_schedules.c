/* SPDX-License-Identifier: MIT */
/* Every schedule, long and unsigned long long, up and down, with strides: each iteration runs exactly once. */
#include "conform.h"

#define N 1000
static unsigned char hits[N];

static void once(const char *what, int step)
{
    int wrong = 0;

    for (int i = 0; i < N; i++)
        wrong += hits[i] != (i % step == 0);
    if (wrong)
        printf("%s: %d iterations not run once\n", what, wrong);
    CHECK(!wrong);
    memset(hits, 0, sizeof hits);
}

#define HIT(i) _Pragma("omp atomic") hits[i]++
#define PRAGMA(x) _Pragma(#x)

/* In a region of its own, and combined; the signed loop counts down, the unsigned one up and down. */
#define SCHEDULE(...)                                                                                                  \
    do {                                                                                                               \
        PRAGMA(omp parallel num_threads(4)) PRAGMA(omp for schedule(__VA_ARGS__)) for (long i = N - 1; i >= 0; i--) \
            HIT(i);                                                                                                    \
        once(#__VA_ARGS__ " long down", 1);                                                                            \
        PRAGMA(omp parallel num_threads(3)) PRAGMA(omp for schedule(__VA_ARGS__)) for (unsigned long long i = 0;    \
                                                                                       i < N; i += 7) HIT(i);       \
        once(#__VA_ARGS__ " ull up by 7", 7);                                                                          \
        PRAGMA(omp parallel for schedule(__VA_ARGS__)) for (int i = 0; i < N; i += 3) HIT(i);                       \
        once(#__VA_ARGS__ " combined", 3);                                                                             \
        PRAGMA(omp parallel for num_threads(5) schedule(__VA_ARGS__)) for (unsigned long long i = N; i > 0; i -= 2) \
            HIT(i - 2);                                                                                                \
        once(#__VA_ARGS__ " combined ull down by 2", 2);                                                               \
    } while (0)

int main(void)
{
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto,
                                        omp_sched_monotonic | omp_sched_dynamic,
                                        omp_sched_monotonic | omp_sched_guided};

    SCHEDULE(static);
    SCHEDULE(static, 3);
    SCHEDULE(dynamic);
    SCHEDULE(dynamic, 7);
    SCHEDULE(monotonic : dynamic, 2);
    SCHEDULE(nonmonotonic : dynamic, 3);
    SCHEDULE(guided);
    SCHEDULE(guided, 5);
    SCHEDULE(monotonic : guided);
    SCHEDULE(nonmonotonic : guided, 2);
    SCHEDULE(auto);
    SCHEDULE(runtime);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        omp_set_schedule(kinds[i], (int)i * 3);
        SCHEDULE(runtime);
        SCHEDULE(monotonic : runtime);
        SCHEDULE(nonmonotonic : runtime);
    }
    return conform_end();
}
