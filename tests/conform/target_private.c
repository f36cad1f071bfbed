/* SPDX-License-Identifier: MIT */
/* firstprivate of a target region: it gets copies (of structs, arrays, scalars, at their alignment), also where the region is
 * deferred and the function that encountered it is gone; order of deferred regions among tasks by their dependences. */
#include <stdint.h>

#include "conform.h"

struct large {
    char c;
    double d[9];
    _Alignas(64) int i;
};

static void now(int k)
{
    struct large s = {'a', {1.5}, k};
    int array[50], sum = 0, aligned = 0;

    for (int i = 0; i < 50; i++)
        array[i] = i * k;
#pragma omp target firstprivate(s, array, k) map(tofrom : sum, aligned)
    {
        s.i++;
        k += 100;
        for (int i = 0; i < 50; i++)
            sum += array[i]++;
        sum += s.i + k;
        aligned = (uintptr_t)&s % 64 == 0;
    }
    printf("%d: %d, outside %d %d %d\n", k, sum, s.i, array[49], aligned);
}

__attribute__((noinline)) static void later(long *out, int k)
{
    struct large s = {'b', {2.5}, k};
    int array[100];

    for (int i = 0; i < 100; i++)
        array[i] = k;
#pragma omp target nowait firstprivate(s, array) map(tofrom : out[0 : 1])
    {
        long sum = s.i;
        for (int i = 0; i < 100; i++)
            sum += array[i];
        out[0] = sum;
    }
    memset(&s, 0, sizeof s);
    memset(array, 0, sizeof array);
}

static void chain(void)
{
    int x = 1, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        x *= 3;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
        x += 4;
#pragma omp target enter data nowait depend(inout : x) map(to : x)
#pragma omp task depend(inout : x) shared(x)
        x *= 5;
#pragma omp target update nowait depend(inout : x) to(x)
#pragma omp target depend(inout : x) map(tofrom : x)
        x += 6;
#pragma omp target exit data depend(inout : x) map(from : x)
        y = x;
    }
    printf("chain %d %d\n", x, y);
}

int main(void)
{
    long out[40];

    for (int k = 0; k < 3; k++)
        now(k);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int k = 0; k < 40; k++)
        later(&out[k], k);
    for (int k = 0; k < 40; k++)
        CHECK(out[k] == 101L * k);
    for (int i = 0; i < 10; i++)
        chain();
    return conform_end();
}
