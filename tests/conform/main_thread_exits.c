/* SPDX-License-Identifier: MIT */
/* The initial thread leaves by pthread_exit; another thread goes on with regions and ends the process.
 * conform: status 5
 */
#include <pthread.h>

#include "conform.h"

static pthread_t initial;

static void *goes_on(void *unused)
{
    int n = 0;

    pthread_join(initial, NULL);
    for (int i = 0; i < 20; i++)
#pragma omp parallel num_threads(3) reduction(+ : n)
        n++;
    printf("%d\n", n);
    fflush(stdout);
    exit(n == 60 ? 5 : 1);
    return unused;
}

int main(void)
{
    pthread_t other;
    int n = 0;

#pragma omp parallel num_threads(3) reduction(+ : n)
    n++;
    CHECK(n == 3);
    initial = pthread_self();
    pthread_create(&other, NULL, goes_on, NULL);
    pthread_exit(NULL);
}
