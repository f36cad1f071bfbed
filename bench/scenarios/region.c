/* SPDX-License-Identifier: MIT */
/*
 * The empty region, back to back, by width. What a program pays for each `#pragma omp parallel` when it has many.
 * Invariant: nothing but the region is in the timed stretch; a sample is the mean of a batch.
 */
#include "../bench.h"

static inline void region(int width)
{
#pragma omp parallel num_threads(width)
    bench_keep();
}

int main(int argc, char **argv)
{
    static const int widths[] = {1, 2, 3, 4, 8};
    bench_start(argc, argv, "empty region, back to back, widths 1, 2, 3, 4, 8");
    for (int i = 0; i < 5; i++) {
        int width = widths[i], batch = width > bench_processors() ? 10 : 100;
        char name[16] = {'w', (char)('0' + width)};
        if (!bench_want(name))
            continue;
        bench_check_width(width);
        bench_session_open(width);
        bench_phase("%s", name);
        while (bench_more()) {
            uint64_t t = bench_now();
            for (int k = 0; k < batch; k++)
                region(width);
            bench_add(bench_elapsed(t) / batch);
        }
        bench_done(batch);
        bench_session_close();
    }
    return 0;
}
