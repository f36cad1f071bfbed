/* SPDX-License-Identifier: MIT */
/* depend with iterators: one task waits for a computed set of others. */
#include "conform.h"

#define N 40
static int cell[N], sums[4];

int main(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < N; i++)
#pragma omp task depend(out : cell[i])
            cell[i] = i;
        for (int part = 0; part < 4; part++)
#pragma omp task depend(iterator(k = part : N : 4), in : cell[k]) depend(out : sums[part])
            for (int k = part; k < N; k += 4)
                sums[part] += cell[k];
#pragma omp task depend(iterator(unsigned char p = 0 : 4), inout : sums[p])
        CHECK(sums[0] + sums[1] + sums[2] + sums[3] == N * (N - 1) / 2);
#pragma omp taskwait depend(iterator(p = 0 : 4), in : sums[p])
        CHECK(sums[0] == 180 && sums[3] == 210);
    }
    return conform_end();
}
