/* SPDX-License-Identifier: MIT */
/* scan, inclusive and exclusive, on for and on parallel for, with several schedules of blocks. */
#include "conform.h"

#define N 500
static int in[N], out[N];

int main(void)
{
    int sum = 0, max = -1;

    for (int i = 0; i < N; i++)
        in[i] = i * 7 % 31;
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(inscan, + : sum)
        for (int i = 0; i < N; i++) {
            sum += in[i];
#pragma omp scan inclusive(sum)
            out[i] = sum;
        }
    }
    for (int i = 0, want = 0; i < N; i++)
        CHECK(out[i] == (want += in[i]));
    sum = 5;
#pragma omp parallel for reduction(inscan, + : sum) num_threads(3)
    for (int i = 0; i < N; i++) {
        out[i] = sum;
#pragma omp scan exclusive(sum)
        sum += in[i];
    }
    for (int i = 0, want = 5; i < N; want += in[i++])
        CHECK(out[i] == want);
#pragma omp parallel for simd reduction(inscan, max : max) num_threads(4)
    for (int i = 0; i < N; i++) {
        max = in[i] > max ? in[i] : max;
#pragma omp scan inclusive(max)
        out[i] = max;
    }
    for (int i = 0, want = -1; i < N; i++) {
        want = in[i] > want ? in[i] : want;
        CHECK(out[i] == want);
    }
    return conform_end();
}
