/* SPDX-License-Identifier: MIT */
/* OMP_STACKSIZE and GOMP_STACKSIZE: workers have the stack they were promised.
 * conform: env OMP_STACKSIZE=24M
 * conform: env OMP_STACKSIZE=24576
 * conform: env OMP_STACKSIZE=25165824B
 * conform: env GOMP_STACKSIZE=24576
 */
#include <sys/resource.h>

#include "conform.h"

static int deep(size_t bytes)
{
    volatile char room[bytes];

    for (size_t i = 0; i < bytes; i += 4096)
        room[i] = 1;
    return room[0];
}

int main(void)
{
    int used = 0, asked = getenv("OMP_STACKSIZE") || getenv("GOMP_STACKSIZE");

#pragma omp parallel num_threads(3) reduction(+ : used)
    if (omp_get_thread_num() > 0)
        used += deep((asked ? 20u : 1u) << 20);
    CHECK(used == 2);
    return conform_end();
}
