/* SPDX-License-Identifier: MIT */
/* omp_pause_resource and omp_pause_resource_all: refused inside a region, and regions work again afterwards. */
#include "conform.h"

static int team(void)
{
    int n = 0;
#pragma omp parallel num_threads(4) reduction(+ : n)
    n++;
    return n;
}

int main(void)
{
    int host = omp_get_initial_device();

    for (int round = 0; round < 10; round++) {
        CHECK(team() == 4);
        CHECK(omp_pause_resource(omp_pause_soft, host) == 0);
        CHECK(team() == 4);
        CHECK(omp_pause_resource(omp_pause_hard, host) == 0);
        CHECK(team() == 4);
        CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
    }
    CHECK(omp_pause_resource(omp_pause_soft, host + 1) != 0);
#pragma omp parallel num_threads(2)
    CHECK(omp_pause_resource(omp_pause_hard, host) != 0);
    CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
    CHECK(team() == 4);
    return conform_end();
}
