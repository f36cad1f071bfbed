/* SPDX-License-Identifier: MIT */
/* Settings with values out of range: replaced or ignored, without a word. */
#include "conform.h"

int main(void)
{
    static const int numbers[] = {-100000, -1, 0, 1, 7, 254, 255, 256, 1 << 30};
    static const unsigned kinds[] = {0, 1, 2, 3, 4, 5, 0x80000001, 0x80000002, 0x80000004, 0x40000002};
    omp_sched_t kind;
    int chunk;

    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int n = numbers[i];

        omp_set_num_threads(n);
        omp_set_dynamic(n);
        omp_set_max_active_levels(n);
        omp_set_default_device(n);
        omp_set_num_teams(n);
        omp_set_teams_thread_limit(n);
        printf("%d: %d %d %d %d %d %d, %d %d\n", n, omp_get_max_threads(), omp_get_dynamic(),
               omp_get_max_active_levels(), omp_get_default_device(), omp_get_max_teams(),
               omp_get_teams_thread_limit(), omp_get_ancestor_thread_num(n), omp_get_team_size(n));
        omp_set_nested(n);
        printf("nested %d %d\n", omp_get_nested(), omp_get_max_active_levels());
        omp_set_nested(0);
        printf("not nested %d %d\n", omp_get_nested(), omp_get_max_active_levels());
    }
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int c = -1; c < 4; c += 2) {
            omp_set_schedule((omp_sched_t)kinds[k], c);
            omp_get_schedule(&kind, &chunk);
            printf("schedule %x,%d: %x,%d\n", kinds[k], c, (unsigned)kind, chunk);
        }
    for (int pause = -1; pause < 4; pause++) {
        for (int device = -3; device < 3; device++)
            printf(" %d", omp_pause_resource((omp_pause_resource_t)pause, device));
        printf(" all %d\n", omp_pause_resource_all((omp_pause_resource_t)pause));
    }
#pragma omp parallel num_threads(1)
    printf("in a region: %d %d\n", omp_pause_resource(omp_pause_soft, omp_get_initial_device()),
           omp_pause_resource_all(omp_pause_hard));
    printf("levels %d\n", omp_get_supported_active_levels());
    return conform_end();
}
