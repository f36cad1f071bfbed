/* SPDX-License-Identifier: MIT */
/* tn_fence: of two threads that store and then look, one sees the other's store, in both modes and while a third thread changes
 * them. What two values of each thread were missed is only found where both ran at the same time: many rounds. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "fence.h"

enum { SELDOM = 40000, OFTEN = 8000000 };

static alignas(TN_LINE) _Atomic uint32_t x; /* the seldom side's round */
static alignas(TN_LINE) _Atomic uint32_t y; /* the often side's */
static alignas(TN_LINE) _Atomic int ended;
static uint32_t seen_y[SELDOM + 1], *seen_x;

static void *often(void *unused)
{
    uint32_t j = 0;
    while (j < OFTEN && !tn_load(&ended)) {
        tn_store(&y, ++j);
        tn_fence_often();
        seen_x[j] = tn_load(&x);
    }
    atomic_fetch_add(&ended, 1);
    return unused;
}

static void *pay(void *change)
{
    for (bool whose = false; tn_load(&ended) < 2; whose = !whose) {
        tn_fence_pay(*(bool *)change ? whose : true);
        sched_yield();
    }
    return NULL;
}

/* The seldom side's round i saw round seen_y[i]: the next one of the other side came after its look, so that one sees i or later. */
static void litmus(bool change)
{
    pthread_t other, payer;
    uint32_t done = 0, last;
    seen_x = calloc(OFTEN + 2, sizeof *seen_x);
    tn_fence_init();
    if (!tn_fence_has_membarrier())
        change = false;
    cr_assert_eq(pthread_create(&other, NULL, often, NULL), 0);
    cr_assert_eq(pthread_create(&payer, NULL, pay, &change), 0);
    while (done < SELDOM && !tn_load(&ended)) {
        tn_store(&x, ++done);
        tn_fence_seldom();
        seen_y[done] = tn_load(&y);
    }
    atomic_fetch_add(&ended, 1);
    pthread_join(other, NULL);
    pthread_join(payer, NULL);
    last = tn_load(&y);
    for (uint32_t i = 1; i <= done; i++)
        if (seen_y[i] < last)
            cr_assert_geq(seen_x[seen_y[i] + 1], i, "both missed the other's store: %u, %u", i, seen_y[i] + 1);
    free(seen_x);
}

Test(fence, one_sees_the_other) { litmus(false); }
Test(fence, one_sees_the_other_while_the_mode_changes) { litmus(true); }

Test(fence, changes_back_and_forth)
{
    tn_fence_init();
    if (!tn_fence_has_membarrier())
        cr_skip_test("no membarrier here");
    cr_assert_eq(tn_load(&tn_fence_mode), TN_FENCE_SELDOM);
    tn_fence_pay(true);
    cr_assert_eq(tn_load(&tn_fence_mode), TN_FENCE_OFTEN);
    tn_fence_init(); /* again, by another thread's first region: changes nothing */
    cr_assert_eq(tn_load(&tn_fence_mode), TN_FENCE_OFTEN);
    tn_fence_pay(false);
    cr_assert_eq(tn_load(&tn_fence_mode), TN_FENCE_SELDOM);
    tn_fence_fork_child();
    cr_assert_eq(tn_load(&tn_fence_mode), TN_FENCE_OFTEN);
    tn_fence_pay(false); /* not before the child has asked */
    cr_assert_eq(tn_load(&tn_fence_mode), TN_FENCE_OFTEN);
}
