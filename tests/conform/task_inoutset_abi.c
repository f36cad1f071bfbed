/* SPDX-License-Identifier: MIT */
/* depend(inoutset) as GCC 13 and newer call it: a depobj of kind 5 handed to GOMP_task. The set's tasks may run together,
 * after the writer before them and before the reader after them.
 * conform: tenure only: libgomp 12 does not know this kind. */
#include <stdbool.h>

#include "conform.h"

extern void GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int,
                      void *);
enum { FLAG_DEPEND = 8, KIND_INOUTSET = 5 };

static int x, done, met;

static void member(void *data)
{
    int *round = data;

    CHECK(x == *round);
    __atomic_add_fetch(&met, 1, __ATOMIC_ACQ_REL);
    if (*round == 0) /* both members of the first set must be let in before either leaves */
        while (__atomic_load_n(&met, __ATOMIC_ACQUIRE) < 2)
            ;
#pragma omp atomic
    done++;
}

int main(void)
{
    void *object[2] = {&x, (void *)KIND_INOUTSET};
    void *depend[6] = {0, (void *)1, 0, 0, 0, object};

#pragma omp parallel num_threads(3)
#pragma omp single
    for (int round = 0; round < 50; round++) {
#pragma omp task depend(out : x) shared(x, done)
        {
            CHECK(done == round * 2);
            x = round;
        }
        for (int i = 0; i < 2; i++)
            GOMP_task(member, &round, NULL, sizeof round, sizeof round, true, FLAG_DEPEND, depend, 0, NULL);
#pragma omp task depend(in : x) shared(done)
        CHECK(done == (round + 1) * 2);
    }
    CHECK(done == 100);
    return conform_end();
}
