/* SPDX-License-Identifier: MIT */
/*
 * 200 regions of 5, 20, 50 µs of work each: what is left of a parallel program's time besides its work.
 * Invariant: the work is a number of steps, the same on every member; the ideal is the same steps run serially in the
 * same process, so "over" is the runtime's share and nothing else.
 */
#include "../bench.h"

#include <stdio.h>

enum { REGIONS = 200 };

static double serial(uint64_t steps)
{
    double best = 1e30;
    for (int i = 0; i < 200; i++) {
        uint64_t t = bench_now();
        bench_work(steps);
        double d = (double)(bench_now() - t);
        best = d < best ? d : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    static const int work[] = {5, 20, 50};
    bench_start(argc, argv, "200 regions of 5, 20, 50 us of work: per region, and over the ideal");
    int width = bench_width();
    bench_check_width(width);
    bench_session_open(width);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "%dus", work[i]);
        if (!bench_want(name))
            continue;
        uint64_t steps = bench_work_steps(work[i] * 1e3);
        double ideal = serial(steps);
        bench_phase("%s", name);
        bench_limits(bench_quick() ? 30 : 200, 8, 500);
        while (bench_more()) {
            uint64_t t = bench_now();
            for (int k = 0; k < REGIONS; k++)
#pragma omp parallel num_threads(width)
                bench_work(steps);
            double each = bench_elapsed(t) / REGIONS;
            bench_add(each);
            bench_add_to("over", each - ideal, "ns");
        }
        bench_done(REGIONS);
    }
    bench_session_close();
    return 0;
}
