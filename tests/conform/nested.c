/* SPDX-License-Identifier: MIT */
/* Nested regions: levels, ancestors, team sizes, thread numbers, serialised beyond max-active-levels; worksharing and
 * barriers of the inner teams are their own. */
#include "conform.h"

static void inner(int outer)
{
    int sum = 0, width = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
        CHECK(omp_get_level() == 2 && omp_get_active_level() == 2);
        CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_ancestor_thread_num(1) == outer);
        CHECK(omp_get_ancestor_thread_num(2) == omp_get_thread_num() && omp_get_ancestor_thread_num(3) == -1);
        CHECK(omp_get_team_size(0) == 1 && omp_get_team_size(1) == 2 && omp_get_team_size(2) == 3);
        CHECK(omp_get_team_size(3) == -1);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 30; i++)
            sum += i;
#pragma omp barrier
#pragma omp single
        width = omp_get_num_threads();
        for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(4)
            CHECK(omp_get_num_threads() == 1 && omp_get_level() == 3 && omp_get_active_level() == 2);
        }
    }
    CHECK(sum == 435 && width == 3);
}

int main(void)
{
    int rounds = 0;

    omp_set_max_active_levels(2);
    CHECK(omp_get_max_active_levels() == 2);
    for (int i = 0; i < 20; i++)
#pragma omp parallel num_threads(2) reduction(+ : rounds)
        {
            inner(omp_get_thread_num());
            rounds++;
        }
    CHECK(rounds == 40 && omp_get_level() == 0);
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        CHECK(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && omp_in_parallel());
    }
    return conform_end();
}
