/* SPDX-License-Identifier: MIT */
/* exit() by a worker inside a region ends the process with that status, and runs the exit handlers.
 * conform: status 3
 */
#include "conform.h"

static void handler(void)
{
    puts("handler");
    fflush(stdout);
}

int main(void)
{
    atexit(handler);
#pragma omp parallel num_threads(4)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 2)
            exit(3);
        for (;;)
            __asm__ volatile("");
    }
}
