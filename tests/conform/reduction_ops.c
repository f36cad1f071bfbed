/* SPDX-License-Identifier: MIT */
/* Every predefined reduction operator, on a loop, on parallel, and over an array section; results are exact. */
#include "conform.h"

int main(void)
{
    int sum = 3, diff = 0, product = 1, and = -1, or = 0, xor = 0, land = 1, lor = 0, max = -1, min = 1 << 30;
    double floats = 0;
    long hist[8] = {0};

#pragma omp parallel for num_threads(4) schedule(dynamic, 3) reduction(+ : sum, floats) reduction(- : diff) \
    reduction(& : and) reduction(| : or) reduction(^ : xor) reduction(&& : land) reduction(|| : lor) \
    reduction(max : max) reduction(min : min) reduction(+ : hist[ : 8])
    for (int i = 0; i < 256; i++) {
        sum += i;
        diff -= 1;
        and &= ~(1 << (i % 5));
        or |= 1 << (i % 7);
        xor ^= i;
        land = land && i >= 0;
        lor = lor || i == 200;
        max = i > max ? i : max;
        min = i + 10 < min ? i + 10 : min;
        floats += 0.25;
        hist[i % 8]++;
    }
#pragma omp parallel num_threads(5) reduction(* : product)
    product *= omp_get_thread_num() + 1;
    CHECK(sum == 3 + 255 * 128 && diff == -256 && product == 120);
    CHECK(and == ~31 && or == 127 && xor == 0 && land && lor);
    CHECK(max == 255 && min == 10 && floats == 64);
    for (int i = 0; i < 8; i++)
        CHECK(hist[i] == 32);
    return conform_end();
}
