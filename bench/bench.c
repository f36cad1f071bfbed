/* SPDX-License-Identifier: MIT */
/*
 * Phases, samples and rows. Main thread only; the one state is `now`, the phase that runs.
 * Invariant: a sample is kept only between the end of warm-up and bench_done(), and CPU time and context switches are
 * taken over exactly that stretch.
 */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MAX_SERIES = 8, MAX_SAMPLES = 1 << 16, RAW = 64, CONTROLS = 9, CONTROL_STEPS = 12000 };

struct series {
    char name[40];
    char unit[8];
    double *sample;
    int count;
};

static struct {
    char name[64];
    struct series series[MAX_SERIES]; /* 0 is the phase's own */
    int series_count;
    uint64_t begun, measured_from;
    double budget_ns;
    int least, most, seen;
    bool warm;
    uint64_t cpu;
    struct rusage usage;
    double control[2 * CONTROLS];
} now;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double q)
{
    double at = q * (count - 1);
    int low = (int)at;
    return low + 1 < count ? sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]) : sorted[low];
}

/* The control: the same 12,000 steps, nine times. Its median shrugs off one preemption, not a slower clock. */
static void take_control(double *out)
{
    for (int i = 0; i < CONTROLS; i++) {
        uint64_t t = bench_now();
        bench_work(CONTROL_STEPS);
        out[i] = (double)(bench_now() - t);
    }
}

static void start_measuring(void)
{
    now.warm = true;
    getrusage(RUSAGE_SELF, &now.usage);
    now.cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    now.measured_from = bench_now();
}

static void begin(const char *format, va_list args)
{
    vsnprintf(now.name, sizeof now.name, format, args);
    for (int i = 0; i < MAX_SERIES; i++)
        now.series[i].count = 0;
    now.series_count = 1;
    now.seen = 0;
    now.warm = false;
    now.series[0].name[0] = 0;
    strcpy(now.series[0].unit, "ns");
    take_control(now.control);
    bench_limits(bench_quick() ? 15 : 80, 10, MAX_SAMPLES);
    now.begun = bench_now();
}

void bench_phase(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    begin(format, args);
    va_end(args);
}

void bench_phase_cold(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    begin(format, args);
    va_end(args);
    start_measuring();
}

void bench_limits(double budget_ms, int least, int most)
{
    now.budget_ns = budget_ms * 1e6;
    now.least = least;
    now.most = most < MAX_SAMPLES ? most : MAX_SAMPLES;
}

bool bench_measuring(void) { return now.warm; }

bool bench_more(void)
{
    uint64_t t = bench_now();
    if (!now.warm && now.seen++ >= 3 && (double)(t - now.begun) > now.budget_ns / 5)
        start_measuring();
    if (!now.warm)
        return true;
    int count = now.series[0].count > now.series[1].count ? now.series[0].count : now.series[1].count;
    double spent = (double)(t - now.measured_from);
    return count < now.most && (spent < now.budget_ns || count < 3 || (count < now.least && spent < 4 * now.budget_ns));
}

static void put(struct series *s, double value)
{
    if (!now.warm || s->count == MAX_SAMPLES)
        return;
    if (!s->sample && !(s->sample = malloc(MAX_SAMPLES * sizeof *s->sample)))
        bench_fail("no memory for samples");
    s->sample[s->count++] = value;
}

void bench_add(double ns) { put(&now.series[0], ns); }

void bench_add_to(const char *series, double value, const char *unit)
{
    int i = 1;
    while (i < now.series_count && strcmp(now.series[i].name, series) != 0)
        i++;
    if (i == MAX_SERIES)
        bench_fail("%s: too many series", now.name);
    if (i == now.series_count) {
        snprintf(now.series[i].name, sizeof now.series[i].name, "%s", series);
        snprintf(now.series[i].unit, sizeof now.series[i].unit, "%s", unit);
        now.series_count++;
    }
    put(&now.series[i], value);
}

static double print_series(struct series *s, const char *common)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++)
        sum += s->sample[i];
    char raw[RAW * 24] = "";
    for (int i = 0, at = 0; s->count <= RAW && i < s->count; i++)
        at += snprintf(raw + at, sizeof raw - (size_t)at, "%s%.6g", i ? "," : " raw=", s->sample[i]);
    qsort(s->sample, (size_t)s->count, sizeof *s->sample, by_value);
    double middle = quantile(s->sample, s->count, 0.5);
    bool clocked = strcmp(s->unit, "cpu-ns") == 0; /* moves in whole ticks for a thread that runs elsewhere */
    printf("row %s%s%s unit=%s value=%.6g p50=%.6g p99=%.6g min=%.6g mean=%.6g n=%d%s%s\n", now.name,
           s->name[0] ? "/" : "", s->name, s->unit, clocked ? sum / s->count : middle, middle,
           quantile(s->sample, s->count, 0.99), s->sample[0], sum / s->count, s->count, common, raw);
    return middle;
}

double bench_done(double operations_per_sample)
{
    struct rusage usage;
    uint64_t cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - now.cpu;
    getrusage(RUSAGE_SELF, &usage);
    take_control(now.control + CONTROLS);
    qsort(now.control, 2 * CONTROLS, sizeof(double), by_value);

    int samples = 0;
    for (int i = 0; i < now.series_count; i++)
        samples = now.series[i].count > samples ? now.series[i].count : samples;
    double operations = samples * operations_per_sample;
    char common[160];
    snprintf(common, sizeof common, " cpu=%.6g vol=%.4g inv=%.4g ctl=%.6g", (double)cpu / operations,
             (double)(usage.ru_nvcsw - now.usage.ru_nvcsw) / operations,
             (double)(usage.ru_nivcsw - now.usage.ru_nivcsw) / operations, quantile(now.control, 2 * CONTROLS, 0.5));
    double middle = NAN;
    for (int i = 0; i < now.series_count; i++)
        if (now.series[i].count) {
            double m = print_series(&now.series[i], common);
            middle = i == 0 ? m : middle;
        }
    fflush(stdout);
    return middle;
}

void bench_value(const char *name, double value, const char *unit)
{
    printf("row %s unit=%s value=%.8g n=1\n", name, unit, value);
    fflush(stdout);
}
