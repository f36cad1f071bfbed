/* SPDX-License-Identifier: MIT */
/* atomic: read, write, update, capture, compare, with orders; and operands that have no processor instruction, where
 * GCC calls GOMP_atomic_start. */
#include <complex.h>

#include "conform.h"

int main(void)
{
    long n = 0, captured_sum = 0, greatest = 0, flag = 0;
    long double extended = 0;
    double complex z = 0;
    double d = 0;
    char c = 0;

#pragma omp parallel num_threads(4) reduction(+ : captured_sum)
    for (int i = 0; i < 2000; i++) {
        long got;

#pragma omp atomic update seq_cst
        n += 1;
#pragma omp atomic capture
        {
            got = n;
            n += 2;
        }
        captured_sum += got > 0;
#pragma omp atomic
        d += 0.5;
#pragma omp atomic
        extended += 0.25L;
#pragma omp critical(complex_sum)
        z += 1.0 + 2.0 * I;
#pragma omp atomic relaxed
        c ^= 1;
#pragma omp atomic compare
        if (greatest < i) {
            greatest = i;
        }
#pragma omp atomic write release
        flag = i;
#pragma omp atomic read acquire
        got = flag;
        CHECK(got >= 0 && got < 2000);
    }
    CHECK(n == 4 * 2000 * 3 && captured_sum == 8000);
    CHECK(d == 4000 && extended == 2000 && creal(z) == 8000 && cimag(z) == 16000);
    CHECK(c == 0 && greatest == 1999);
    return conform_end();
}
