/* SPDX-License-Identifier: MIT */
/* The initial thread leaves by pthread_exit and no other thread of the program is left, or one that soon ends: the process
 * ends with status 0 and runs its exit handlers; idle workers do not keep it.
 */
#include <pthread.h>

#include "conform.h"

static void handler(void)
{
    puts("exit handler");
}

static void *region(void *unused)
{
    int n = 0;

#pragma omp parallel num_threads(3) reduction(+ : n)
    n++;
    CHECK(n == 3);
    return unused;
}

int main(void)
{
    pthread_t before, after;

    atexit(handler);
    pthread_create(&before, NULL, region, NULL); /* its workers are idle when the rest ends */
    pthread_join(before, NULL);
    region(NULL);
    pthread_create(&after, NULL, region, NULL); /* may end last */
    pthread_detach(after);
    conform_end();
    pthread_exit(NULL);
}
