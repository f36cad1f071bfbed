/* SPDX-License-Identifier: MIT */
/* teams on the host: numbers, limits, distribute, reductions, parallel inside; the defaults by omp_set_num_teams and
 * omp_set_teams_thread_limit.
 * conform: env OMP_NUM_TEAMS=5
 * conform: env OMP_TEAMS_THREAD_LIMIT=2
 */
#include "conform.h"

int main(void)
{
    int seen[8] = {0}, sum = 0, threads = 0;

    CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
    printf("max teams %d, thread limit %d\n", omp_get_max_teams(), omp_get_teams_thread_limit());
#pragma omp teams num_teams(3) thread_limit(2) shared(seen) reduction(+ : threads)
    {
        CHECK(omp_get_num_teams() == 3);
        seen[omp_get_team_num()]++;
#pragma omp parallel num_threads(4) reduction(+ : threads)
        {
            threads++;
            CHECK(omp_get_thread_limit() == 2 && omp_get_num_threads() <= 2 && omp_get_level() == 1);
        }
    }
    CHECK(seen[0] == 1 && seen[1] == 1 && seen[2] == 1 && seen[3] == 0);
    CHECK(threads >= 3 && threads <= 6);
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2) reduction(+ : sum) dist_schedule(static, 8)
    for (int i = 0; i < 100; i++)
        sum += i;
    CHECK(sum == 4950);
#pragma omp teams num_teams(1 : 4)
    CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= 4);
    omp_set_num_teams(2);
    omp_set_teams_thread_limit(3);
    CHECK(omp_get_max_teams() == 2 && omp_get_teams_thread_limit() == 3);
#pragma omp teams
    {
        CHECK(omp_get_num_teams() <= 2);
#pragma omp parallel num_threads(5)
        CHECK(omp_get_num_threads() <= 3 && omp_get_thread_limit() <= 3);
    }
    CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
#pragma omp teams num_teams(4)
    {
#pragma omp distribute
        for (int i = 0; i < 8; i++)
#pragma omp atomic
            seen[i]++;
    }
    for (int i = 0; i < 8; i++)
        CHECK(seen[i] == 1 + (i < 3));
    return conform_end();
}
