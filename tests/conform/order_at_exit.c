/* SPDX-License-Identifier: MIT */
/* Regions from an atexit handler and from a destructor of the program: the runtime is still there. */
#include "conform.h"

static int team(void)
{
    int n = 0;
#pragma omp parallel num_threads(3) reduction(+ : n)
    n++;
    return n;
}

static void handler(void)
{
    printf("handler %d\n", team());
}

__attribute__((constructor)) static void before_main(void)
{
    printf("constructor %d\n", team());
}

__attribute__((destructor)) static void after_main(void)
{
    printf("destructor %d\n", team());
    fflush(stdout);
}

int main(void)
{
    atexit(handler);
    printf("main %d\n", team());
    return conform_end();
}
