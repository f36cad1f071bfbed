/* SPDX-License-Identifier: MIT */
/* tn_lock: exclusion, try, and that whoever sleeps for it is woken, by plain threads (it knows nothing of teams). Tests
 * whose failure is a hang have the framework's time limit. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>

#include "lock.h"

enum { THREADS = 6, ROUNDS = 20000 };

struct shared {
    struct tn_lock lock;
    long count; /* no atomic: the lock guards it */
    int held;   /* how long: yields while holding it */
    _Atomic int inside, bad;
};

static void *add(void *arg)
{
    struct shared *s = arg;
    for (int i = 0; i < (s->held ? ROUNDS / 100 : ROUNDS); i++) {
        if (i % 3 != 0 || !tn_lock_try(&s->lock))
            tn_lock_acquire(&s->lock);
        s->bad += s->inside++ != 0;
        s->count++;
        for (int k = 0; k < s->held; k++)
            sched_yield();
        s->inside--;
        tn_lock_release(&s->lock);
    }
    return NULL;
}

static void run(struct shared *s)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&t[i], NULL, add, s), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    cr_expect_eq(s->bad, 0);
    cr_expect_eq(s->count, (long)THREADS * (s->held ? ROUNDS / 100 : ROUNDS));
    cr_expect_eq(s->lock.word, 0, "free at the end");
}

Test(lock, excludes, .timeout = 60)
{
    struct shared s = {.held = 0};
    run(&s);
}

/* Held so long that the others sleep: a wake lost is a thread that never ends. */
Test(lock, wakes_who_sleeps, .timeout = 60)
{
    struct shared s = {.held = 30};
    run(&s);
}

Test(lock, try)
{
    struct tn_lock l = {0};
    cr_expect(tn_lock_try(&l));
    cr_expect_not(tn_lock_try(&l));
    tn_lock_release(&l);
    cr_expect(tn_lock_try(&l));
}

static void *acquire(void *arg)
{
    tn_lock_acquire(arg);
    return NULL;
}

/* A release by another thread than the holder, as `omp_unset_lock` of a lock passed on allows. */
Test(lock, released_by_another_thread, .timeout = 60)
{
    struct tn_lock l = {0};
    pthread_t t;
    tn_lock_acquire(&l);
    cr_assert_eq(pthread_create(&t, NULL, acquire, &l), 0);
    while (tn_load(&l.word) != 2)
        sched_yield(); /* until it sleeps, or is about to */
    tn_lock_release(&l);
    pthread_join(t, NULL);
    cr_expect_not(tn_lock_try(&l), "the other thread has it");
}

Test(lock, free_in_a_forked_child)
{
    tn_lock_acquire(&tn_lock_critical.lock);
    tn_lock_acquire(&tn_lock_atomic.lock);
    tn_lock_fork_child();
    cr_expect(tn_lock_try(&tn_lock_critical.lock) && tn_lock_try(&tn_lock_atomic.lock));
}
