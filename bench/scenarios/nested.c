/* SPDX-License-Identifier: MIT */
/*
 * Regions inside regions: 2x2, 2x4, and three levels of 2. Per inner region, as the members of the outer one see it.
 * Invariant: the inner widths and levels are verified in the same process before the timed stretch.
 */
#include "../bench.h"

#include <stdatomic.h>

enum { INNER = 20 };

static _Atomic int leaves;

static void inner(int width, int depth)
{
#pragma omp parallel num_threads(width)
    {
        bench_keep();
        if (depth > 1)
            inner(width, depth - 1);
        else
            atomic_fetch_add_explicit(&leaves, omp_get_level(), memory_order_relaxed);
    }
}

static void outer(int width, int depth, int times)
{
#pragma omp parallel num_threads(2)
    for (int i = 0; i < times; i++)
        inner(width, depth);
}

static void nest(const char *name, int width, int depth)
{
    if (!bench_want(name))
        return;
    int leaf_count = 2;
    for (int i = 0; i < depth; i++)
        leaf_count *= width;
    atomic_store(&leaves, 0);
    outer(width, depth, 1);
    if (atomic_load(&leaves) != leaf_count * (depth + 1))
        bench_fail("%s: %d level-weighted leaves, not %d", name, atomic_load(&leaves), leaf_count * (depth + 1));
    bench_phase("%s", name);
    bench_limits(bench_quick() ? 40 : 300, 5, 2000);
    while (bench_more()) {
        uint64_t t = bench_now();
        outer(width, depth, INNER);
        bench_add(bench_elapsed(t) / INNER);
    }
    bench_done(INNER);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, "nested regions 2x2, 2x4, 2x2x2: per inner region");
    omp_set_max_active_levels(3);
    nest("2x2", 2, 1);
    nest("2x4", 4, 1);
    nest("2x2x2", 2, 2);
    bench_value("threads", (double)bench_status("Threads"), "count");
    return 0;
}
