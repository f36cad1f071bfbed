/* SPDX-License-Identifier: MIT */
/*
 * Widths in turn: what a program pays whose regions are not all equally wide (OpenBLAS's adaptive width, libraries
 * side by side). Beside each pattern stands the constant width of its wider half.
 * Invariant: every region's width was verified for its pattern before the timed stretch.
 */
#include "../bench.h"

#include <stdio.h>

enum { LONGEST = 64 };

static inline void region(int width)
{
#pragma omp parallel num_threads(width)
    bench_keep();
}

static void pattern(const char *name, const int *width, int count)
{
    if (!bench_want(name))
        return;
    for (int i = 0; i < count; i++)
        bench_check_width(width[i]);
    bench_phase("%s", name);
    bench_limits(bench_quick() ? 30 : 150, 10, 20000);
    while (bench_more()) {
        uint64_t t = bench_now();
        for (int i = 0; i < count; i++)
            region(width[i]);
        bench_add(bench_elapsed(t) / count);
    }
    bench_done(count);
}

int main(int argc, char **argv)
{
    static const int pairs[][2] = {{2, 1}, {2, 3}, {4, 2}, {8, 2}};
    static const int constants[] = {1, 2, 3, 4, 8};
    int width[LONGEST];
    char name[32];
    bench_start(argc, argv, "widths in turn: 2-1, 2-3, 4-2, 8-2, random 1 to 4; per region");
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 16; k++)
            width[k] = constants[i];
        snprintf(name, sizeof name, "const-%d", constants[i]);
        pattern(name, width, 16);
    }
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 16; k++)
            width[k] = pairs[i][k % 2];
        snprintf(name, sizeof name, "%d-%d", pairs[i][0], pairs[i][1]);
        pattern(name, width, 16);
    }
    uint64_t seed = 12345;
    for (int k = 0; k < LONGEST; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        width[k] = 1 + (int)(seed >> 33) % 4;
    }
    pattern("random-4", width, LONGEST);
    for (int k = 0; k < LONGEST; k++)
        width[k] = 1 + width[k] % 2;
    pattern("random-2", width, LONGEST);
    return 0;
}
