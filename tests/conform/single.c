/* SPDX-License-Identifier: MIT */
/* single, with nowait and copyprivate (scalar, array, struct): one thread runs it and all see the value. */
#include "conform.h"

struct pair {
    int a;
    double b;
};

int main(void)
{
    int runs = 0, ahead = 0;

#pragma omp parallel num_threads(4)
    for (int round = 0; round < 100; round++) {
        struct pair pair = {-1, -1};
        int value = -1, list[3] = {0, 0, 0};

#pragma omp single copyprivate(value, pair, list)
        {
#pragma omp atomic
            runs++;
            value = round;
            pair = (struct pair){round + 1, round / 2.0};
            list[2] = round * 3;
        }
        CHECK(value == round && pair.a == round + 1 && pair.b == round / 2.0 && list[2] == round * 3);
#pragma omp single nowait
        {
#pragma omp atomic
            ahead++;
        }
#pragma omp single
        CHECK(omp_get_num_threads() == 4);
    }
    CHECK(runs == 100 && ahead == 100);
    return conform_end();
}
