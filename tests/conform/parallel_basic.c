/* SPDX-License-Identifier: MIT */
/* parallel: width, thread numbers, if, num_threads, default(none), private, firstprivate, shared; the caller is
 * thread 0 and the numbers are 0 to width - 1, each once. */
#include <pthread.h>

#include "conform.h"

static void one_region(int ask)
{
    int seen[64] = {0}, width = 0, copy = 41, scratch = 7;
    pthread_t caller = pthread_self();

#pragma omp parallel num_threads(ask) default(none) shared(seen, width, ask, caller, conform_faults) \
    firstprivate(copy) private(scratch)
    {
        int me = omp_get_thread_num();

        scratch = me;
        copy += me;
        CHECK(omp_get_num_threads() == ask);
        CHECK(omp_in_parallel() == (ask > 1));
        CHECK(me == 0 ? pthread_equal(caller, pthread_self()) : !pthread_equal(caller, pthread_self()));
#pragma omp atomic
        seen[me]++;
#pragma omp barrier
        CHECK(scratch == me && copy == 41 + me);
        if (me == 0)
            width = omp_get_num_threads();
    }
    CHECK(width == ask && copy == 41 && scratch == 7);
    for (int i = 0; i < 64; i++)
        CHECK(seen[i] == (i < ask));
}

int main(void)
{
    static const int widths[] = {1, 2, 3, 4, 8, 2, 5, 1, 8, 3};
    int width = 0;

    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++)
        one_region(widths[i]);
#pragma omp parallel if (width > 0)
    {
        CHECK(omp_get_num_threads() == 1 && !omp_in_parallel() && omp_get_level() == 1);
    }
#pragma omp parallel reduction(+ : width)
    width += 1;
    CHECK(width == omp_get_max_threads());
    printf("default width %d\n", width);
    return conform_end();
}
