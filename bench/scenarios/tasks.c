/* SPDX-License-Identifier: MIT */
/*
 * Tasks: fib, n-queens, flat tasks, taskloop, a chain of dependences, tiled Cholesky by dependences, task reductions.
 * Per task. Invariant: each program's result is checked every time; a wrong one ends the process with status 3.
 */
#include "../bench.h"

#include <math.h>
#include <string.h>

enum { QUEENS = 7, FLAT = 2000, CHAIN = 1000, TILES = 8, TILE = 16, N = TILES * TILE };

static int width;
static int fib_of; /* 22; in a quick run 18 */

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void run_fib(void)
{
    long result = 0;
#pragma omp parallel num_threads(width)
#pragma omp single
    result = fib(fib_of);
    if (result != (fib_of == 22 ? 17711 : 2584))
        bench_fail("fib gave %ld", result);
}

static int place(int row, unsigned columns, unsigned left, unsigned right)
{
    if (row == QUEENS)
        return 1;
    int found[QUEENS] = {0}, sum = 0;
    for (int c = 0; c < QUEENS; c++) {
        unsigned bit = 1u << c;
        if (!((columns | left | right) & bit)) {
#pragma omp task shared(found) firstprivate(c, bit)
            found[c] = place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
        }
    }
#pragma omp taskwait
    for (int c = 0; c < QUEENS; c++)
        sum += found[c];
    return sum;
}

static void run_queens(void)
{
    int result = 0;
#pragma omp parallel num_threads(width)
#pragma omp single
    result = place(0, 0, 0, 0);
    if (result != 40)
        bench_fail("n-queens gave %d", result);
}

static int cell[FLAT];

static void check_cells(const char *who)
{
    for (int i = 0; i < FLAT; i++)
        if (cell[i] != i)
            bench_fail("%s: cell %d holds %d", who, i, cell[i]);
    memset(cell, 0, sizeof cell);
}

static void run_flat(void)
{
#pragma omp parallel num_threads(width)
#pragma omp single
    for (int i = 0; i < FLAT; i++) {
#pragma omp task firstprivate(i)
        cell[i] = i;
    }
    check_cells("flat tasks");
}

static void run_taskloop(void)
{
#pragma omp parallel num_threads(width)
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < FLAT; i++)
        cell[i] = i;
    check_cells("taskloop");
}

static void run_chain(void)
{
    long value = 0;
#pragma omp parallel num_threads(width)
#pragma omp single
    for (int i = 0; i < CHAIN; i++) {
#pragma omp task depend(inout : value) shared(value)
        value = value * 3 % 1000003 + 1;
    }
    long expected = 0;
    for (int i = 0; i < CHAIN; i++)
        expected = expected * 3 % 1000003 + 1;
    if (value != expected)
        bench_fail("the chain gave %ld, not %ld", value, expected);
}

typedef double tile[TILE][TILE];
static tile A[TILES][TILES];

static void factor(tile a)
{
    for (int j = 0; j < TILE; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < TILE; i++)
                a[i][j] -= a[i][k] * a[j][k];
        double d = sqrt(a[j][j]);
        for (int i = j; i < TILE; i++)
            a[i][j] /= d;
    }
}

static void solve(tile l, tile b)
{
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++) {
            double s = b[i][j];
            for (int k = 0; k < j; k++)
                s -= b[i][k] * l[j][k];
            b[i][j] = s / l[j][j];
        }
}

static void update(tile a, tile b, tile c)
{
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++) {
            double s = 0;
            for (int k = 0; k < TILE; k++)
                s += a[i][k] * b[j][k];
            c[i][j] -= s;
        }
}

/* A = ones + N on the diagonal: the last pivot is sqrt(N * (1 + 1 / (N + (N - 1)))) in exact arithmetic. */
static void fill(void)
{
    for (int I = 0; I < TILES; I++)
        for (int J = 0; J < TILES; J++)
            for (int i = 0; i < TILE; i++)
                for (int j = 0; j < TILE; j++)
                    A[I][J][i][j] = 1 + (I == J && i == j) * N;
}

static void cholesky(void)
{
    for (int k = 0; k < TILES; k++) {
#pragma omp task depend(inout : A[k][k]) firstprivate(k)
        factor(A[k][k]);
        for (int i = k + 1; i < TILES; i++) {
#pragma omp task depend(in : A[k][k]) depend(inout : A[i][k]) firstprivate(i, k)
            solve(A[k][k], A[i][k]);
        }
        for (int i = k + 1; i < TILES; i++)
            for (int j = k + 1; j <= i; j++) {
#pragma omp task depend(in : A[i][k], A[j][k]) depend(inout : A[i][j]) firstprivate(i, j, k)
                update(A[i][k], A[j][k], A[i][j]);
            }
    }
}

static void run_cholesky(void)
{
    fill();
#pragma omp parallel num_threads(width)
#pragma omp single
    cholesky();
    double expected = sqrt(N * (1 + 1.0 / (N + N - 1))), last = A[TILES - 1][TILES - 1][TILE - 1][TILE - 1];
    if (!(fabs(last - expected) < 1e-9 * expected))
        bench_fail("cholesky gave %.17g, not %.17g", last, expected);
}

static void run_reduction(void)
{
    long sum = 0;
#pragma omp parallel num_threads(width)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < FLAT; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
    }
    if (sum != (long)FLAT * (FLAT - 1) / 2)
        bench_fail("the task reduction gave %ld", sum);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, "fib, n-queens, flat, taskloop, dependences, cholesky, reductions: per task");
    fib_of = bench_quick() ? 18 : 22;
    const struct {
        const char *name;
        void (*run)(void);
        double tasks;
    } program[] = {
        {"fib", run_fib, fib_of == 22 ? 57312 : 8360},
        {"n-queens", run_queens, 551}, /* placements that no queen attacks */
        {"flat", run_flat, FLAT},
        {"taskloop", run_taskloop, FLAT},
        {"chain", run_chain, CHAIN},
        {"cholesky", run_cholesky, TILES + TILES * (TILES - 1) / 2 + TILES * (TILES - 1) * (TILES + 1) / 6},
        {"reduction", run_reduction, FLAT},
    };
    width = bench_width();
    bench_check_width(width);
    bench_session_open(width);
    for (size_t i = 0; i < sizeof program / sizeof *program; i++) {
        if (!bench_want(program[i].name))
            continue;
        bench_phase("%s", program[i].name);
        bench_limits(bench_quick() ? 40 : 200, 5, 2000);
        while (bench_more()) {
            uint64_t t = bench_now();
            program[i].run();
            bench_add(bench_elapsed(t) / program[i].tasks);
        }
        bench_done(program[i].tasks);
    }
    bench_session_close();
    return 0;
}
