/* SPDX-License-Identifier: MIT */
/*
 * 1 to 256 calls per session entry, and the line through them: a fixed cost per entry, a marginal cost per call. Under
 * a runtime without sessions an entry is nothing, and the fixed cost is what the first call of a series pays more.
 * Invariant: before every entry the caller is away for the same 20 µs of its own work.
 */
#include "../bench.h"

#include <math.h>

enum { POINTS = 9 };

static int width;

static double entry(int calls)
{
    uint64_t t = bench_now();
    bench_session_open(width);
    for (int i = 0; i < calls; i++)
#pragma omp parallel num_threads(width)
        bench_keep();
    bench_session_close();
    return bench_elapsed(t);
}

/* Weighted by 1/y²: the fit is of relative errors, else the longest series would decide alone. */
static void fit(const double *calls, const double *ns)
{
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, rms = 0;
    for (int i = 0; i < POINTS; i++) {
        double k = 1 / (ns[i] * ns[i]);
        w += k;
        wx += k * calls[i];
        wy += k * ns[i];
        wxx += k * calls[i] * calls[i];
        wxy += k * calls[i] * ns[i];
    }
    double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx), fixed = (wy - slope * wx) / w;
    for (int i = 0; i < POINTS; i++) {
        double e = (fixed + slope * calls[i]) / ns[i] - 1;
        rms += e * e / POINTS;
    }
    bench_value("fixed", fixed, "ns");
    bench_value("marginal", slope, "ns");
    bench_value("fit-error", 100 * sqrt(rms), "%");
}

int main(int argc, char **argv)
{
    double calls[POINTS], ns[POINTS];
    bench_start(argc, argv, "1 to 256 calls per session entry: fixed and marginal cost");
    width = bench_width();
    bench_check_width(width);
    uint64_t away = bench_work_steps(20e3);
    for (int i = 0; i < POINTS; i++) {
        int n = 1 << i;
        calls[i] = n;
        bench_phase("calls-%d", n);
        while (bench_more()) {
            bench_work(away);
            bench_add(entry(n));
        }
        ns[i] = bench_done(1);
    }
    fit(calls, ns);
    return 0;
}
