/* SPDX-License-Identifier: MIT */
/* Many calling threads with regions at the same time and one after another: each is thread 0 of its own teams, with
 * its own threadprivate values and control variables. */
#include <pthread.h>

#include "conform.h"

static int mine;
#pragma omp threadprivate(mine)

static void *caller(void *arg)
{
    int id = (int)(size_t)arg, n = 0;

    CHECK(omp_get_thread_num() == 0 && omp_get_level() == 0);
    omp_set_num_threads(2 + id % 3);
    mine = id;
    for (int round = 0; round < 50; round++) {
        n = 0;
#pragma omp parallel reduction(+ : n) copyin(mine)
        {
            CHECK(mine == id && omp_get_num_threads() == 2 + id % 3);
#pragma omp for schedule(dynamic, 2)
            for (int i = 0; i < 20; i++)
                n++;
#pragma omp critical
            n++;
        }
        CHECK(n == 20 + 2 + id % 3);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[6];
    int width = omp_get_max_threads();

    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 6; i++)
            pthread_create(&threads[i], NULL, caller, (void *)i);
        for (int i = 0; i < 6; i++)
            pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < 40; i++) {
        pthread_create(&threads[0], NULL, caller, (void *)i);
        pthread_join(threads[0], NULL);
    }
    CHECK(omp_get_max_threads() == width);
    return conform_end();
}
