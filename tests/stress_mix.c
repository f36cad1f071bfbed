/* SPDX-License-Identifier: MIT */
/* Random regions from several calling threads at once, for $STRESS_SECONDS (2): widths 1 to 9, nesting, loops, tasks,
 * criticals, callers that come and go. Every sum is checked. The seed is printed by a failure; $STRESS_SEED repeats it. */
#include <pthread.h>
#include <time.h>

#include "conform/conform.h"

static double deadline;

static unsigned next(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

static long fib(int n)
{
    long a, b;

    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 4)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void region(unsigned *state, int depth)
{
    int width = 1 + (int)next(state, 9), kind = (int)next(state, 6), total = 0, in_lock = 0, got = 0;
    unsigned seed = *state;
    long result = 0;

#pragma omp parallel num_threads(width) reduction(+ : total) if (kind != 5 || width > 2)
    {
        unsigned mine = seed + (unsigned)omp_get_thread_num();

#pragma omp single nowait
        got = omp_get_num_threads();
        switch (kind) {
        case 0:
#pragma omp for schedule(dynamic, 3)
            for (int i = 0; i < 100; i++)
                total++;
            break;
        case 1:
#pragma omp for schedule(guided) nowait
            for (unsigned long long i = 0; i < 100; i++)
                total++;
            break;
        case 2:
#pragma omp single
            result = fib(12);
#pragma omp for ordered schedule(static, 1)
            for (int i = 0; i < 100; i++)
#pragma omp ordered
                total++;
            break;
        case 3:
#pragma omp for schedule(static)
            for (int i = 0; i < 100; i++)
                total++;
            if (depth > 0 && omp_get_thread_num() % 3 == 0)
                region(&mine, depth - 1);
            break;
        default:
#pragma omp single
            for (int i = 0; i < 100; i++)
#pragma omp task shared(result)
#pragma omp atomic
                result++;
            total += result == 100 && omp_get_thread_num() == 0 ? 100 : 0;
        }
#pragma omp critical
        in_lock++;
#pragma omp barrier
        if (in_lock != omp_get_num_threads())
            conform_fault(__LINE__, "all have passed the critical");
    }
    CHECK(total == 100 && in_lock == got && (kind != 2 || result == 144));
}

static void *caller(void *arg)
{
    unsigned state = (unsigned)(size_t)arg;

    omp_set_max_active_levels(2);
    for (int i = 0; i < 200 && omp_get_wtime() < deadline; i++)
        region(&state, 1);
    return NULL;
}

int main(void)
{
    const char *seconds = getenv("STRESS_SECONDS"), *given = getenv("STRESS_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);

    deadline = omp_get_wtime() + (seconds ? atof(seconds) : 2);
    while (omp_get_wtime() < deadline && !conform_faults) {
        pthread_t threads[3];

        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, caller, (void *)(size_t)next(&seed, 1u << 15));
        caller((void *)(size_t)next(&seed, 1u << 15));
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
    }
    if (conform_faults)
        printf("STRESS_SEED=%u\n", seed);
    return conform_end();
}
