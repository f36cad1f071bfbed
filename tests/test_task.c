/* SPDX-License-Identifier: MIT */
/* Explicit tasks on the convenience library: the deque under thieves, the tied-task rule, memory that does not grow, ranges of
 * taskloops, depend arrays in both layouts with every kind, events from foreign threads, nested waits against a serial sum.
 * Tests whose failure is a hang have the framework's time limit. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "crew.h"
#include "task_deque.h"
#include "task_impl.h"
#include "team.h"

/* --- The deque: each entry taken once ------------------------------------------------------------------------------------ */

#define ENTRIES 2000000
#define THIEVES 3
static struct {
    struct tn_task_member q;
    _Atomic(struct tn_task_x *) slots[64];
    _Atomic unsigned char taken[ENTRIES + 1];
    _Atomic bool stop, hungry;
} dq;

/* Entries are numbers: nobody looks into them here. */
static void took(struct tn_task_x *x) { atomic_fetch_add(&dq.taken[(uintptr_t)x], 1); }

static void *thief(void *arg)
{
    (void)arg;
    uint32_t index;
    for (struct tn_task_x *x; !tn_load_acq(&dq.stop);)
        if ((x = tn_task_deque_peek(&dq.q, &index)) && tn_task_deque_take_top(&dq.q, index))
            took(x);
    return NULL;
}

Test(task, deque_each_once, .timeout = 60)
{
    dq.q.slots = dq.slots;
    dq.q.mask = 63;
    tn_store(&dq.q.top, UINT32_MAX - 1000); /* indices wrap on the way */
    tn_store(&dq.q.bottom, UINT32_MAX - 1000);
    pthread_t t[THIEVES];
    for (int i = 0; i < THIEVES; i++)
        cr_assert_eq(pthread_create(&t[i], NULL, thief, NULL), 0);
    unsigned random = 1;
    for (uintptr_t n = 1; n <= ENTRIES;) {
        random = random * 1664525u + 1013904223u;
        bool one = n < ENTRIES / 2; /* many races for a last entry; then longer queues */
        for (unsigned i = one ? 1 : random >> 28; i > 0 && n <= ENTRIES; i--)
            n += tn_task_deque_push(&dq.q, (struct tn_task_x *)n, &dq.hungry);
        for (unsigned i = one ? 1 : random >> 24 & 15; i > 0; i--) {
            struct tn_task_x *x = tn_task_deque_pop(&dq.q, tn_load(&dq.q.top));
            if (x)
                took(x);
        }
    }
    for (struct tn_task_x *x; (x = tn_task_deque_pop(&dq.q, tn_load(&dq.q.top)));)
        took(x);
    while (tn_load(&dq.q.top) != tn_load(&dq.q.bottom))
        sched_yield();
    tn_store_rel(&dq.stop, true);
    for (int i = 0; i < THIEVES; i++)
        pthread_join(t[i], NULL);
    for (uintptr_t n = 1; n <= ENTRIES; n++)
        cr_assert_eq(tn_load(&dq.taken[n]), 1, "entry %zu: %d times", (size_t)n, tn_load(&dq.taken[n]));
}

Test(task, deque_bounds)
{
    static _Atomic(struct tn_task_x *) slots[4];
    static struct tn_task_x x[5];
    struct tn_task_member q = {.slots = slots, .mask = 3};
    _Atomic bool hungry = false;
    for (int i = 0; i < 4; i++)
        cr_expect(tn_task_deque_push(&q, &x[i], &hungry));
    cr_expect_not(tn_task_deque_push(&q, &x[4], &hungry), "full");
    cr_expect_eq(tn_task_deque_pop(&q, 3), &x[3]);
    cr_expect_eq(tn_task_deque_pop(&q, 3), NULL, "what is older than the base stays");
    uint32_t index;
    cr_expect_eq(tn_task_deque_peek(&q, &index), &x[0], "thieves take the oldest");
    cr_expect(tn_task_deque_take_top(&q, index) && !tn_task_deque_take_top(&q, index));
    cr_expect_eq(tn_task_deque_pop(&q, 0), &x[2]);
    cr_expect_eq(tn_task_deque_pop(&q, 0), &x[1]);
    cr_expect_eq(tn_task_deque_pop(&q, 0), NULL);
}

Test(task, deque_room)
{
    static _Atomic(struct tn_task_x *) slots[4];
    static struct tn_task_x x[8];
    struct tn_task_member q = {.slots = slots, .mask = 3};
    _Atomic bool hungry = false;
    for (int i = 0; i < 4; i++)
        cr_expect(tn_task_deque_push(&q, &x[i], &hungry));
    cr_expect_not(tn_task_deque_push(&q, &x[4], &hungry), "full");
    cr_expect_eq(tn_task_deque_pop(&q, 0), &x[3]);
    cr_expect(tn_task_deque_push(&q, &x[3], &hungry), "what the owner took away it may put back at once");
    for (uint32_t i = 0; i < 3; i++)
        cr_expect(tn_task_deque_take_top(&q, i));
    int refused = 0;
    while (!tn_task_deque_push(&q, &x[4], &hungry))
        cr_assert_leq(++refused, TN_TASK_FULL, "what thieves took makes room before long");
    cr_expect(tn_task_deque_push(&q, &x[5], &hungry) && tn_task_deque_push(&q, &x[6], &hungry));
    for (int i = 0; i <= TN_TASK_FULL; i++)
        cr_expect_not(tn_task_deque_push(&q, &x[7], &hungry), "full again: no entry is written over");
    uint32_t index;
    cr_expect_eq(tn_task_deque_peek(&q, &index), &x[3]);
    cr_expect_not(tn_task_deque_push(&q, &x[7], &hungry));
    cr_expect(tn_task_deque_take_top(&q, index));
    cr_expect_not(tn_task_deque_push(&q, &x[7], &hungry), "it does not look for a while");
    tn_store(&hungry, true);
    cr_expect(tn_task_deque_push(&q, &x[7], &hungry), "but at once where somebody has nothing to do");
    cr_expect_not(tn_load(&hungry));
}

/* --- Trees of tasks ------------------------------------------------------------------------------------------------------- */

static void create(void (*fn)(void *), void *data, size_t size, bool if_)
{
    const struct tn_task_spec s = {.fn = fn, .data = data, .size = size, .align = 8, .if_ = if_};
    tn_task_create(tn_self(), &s);
}

static _Atomic long leaves;

struct tree {
    int depth;
    unsigned seed;
};

/* Waits in one of three ways, or leaves its children to the barrier. */
static void grow(void *arg)
{
    struct tree *t = arg;
    if (t->depth == 0) {
        atomic_fetch_add(&leaves, 1);
        return;
    }
    unsigned how = t->seed >> 8 & 3;
    if (how == 1)
        tn_task_group_start(tn_self());
    for (unsigned i = 0; i < 3; i++) {
        struct tree child = {t->depth - 1, t->seed * 1664525u + 1013904223u * (i + 1)};
        create(grow, &child, sizeof child, how != 3 || i);
    }
    if (how == 0)
        tn_task_wait(tn_self());
    else if (how == 1)
        tn_task_group_end(tn_self());
}

static void forest(void *arg)
{
    struct tree t = {6, *(unsigned *)arg + tn_self()->cur->num};
    grow(&t);
    tn_barrier(tn_self());
    if (tn_self()->cur->num == 0)
        cr_assert_eq(tn_load(&leaves), 729 * (long)tn_self()->cur->team->width, "a barrier passed before its tasks");
    tn_barrier(tn_self());
    grow(&t);
}

static size_t records(const struct tn_team *team)
{
    size_t n = 0;
    for (unsigned i = 0; i < team->width; i++)
        for (const void *c = team->member[i].tq.chunks; c; c = *(void *const *)c)
            n++;
    return n;
}

Test(task, trees_are_complete_and_reuse_memory, .timeout = 120)
{
    for (unsigned width = 1; width <= 6; width++) {
        size_t chunks = 0;
        for (unsigned round = 0; round < 120; round++) {
            unsigned seed = round * 977;
            tn_store(&leaves, 0);
            tn_region(forest, &seed, width, 0);
            cr_assert_eq(tn_load(&leaves), 2 * 729 * (long)width, "width %u round %u", width, round);
            struct tn_team *team = tn_self()->crew->teams[width];
            cr_assert(tn_task_quiescent(team) && !tn_task_runnable(team));
            chunks = records(team);
        }
        cr_expect_lt(chunks, 200 * width, "%zu chunks for at most 64 tasks per thread and some", chunks);
    }
}

/* One creates, the others run and free. */
static _Atomic long consumed;

static void consume(void *arg) { (void)arg; atomic_fetch_add(&consumed, 1); }

static void produce(void *arg)
{
    (void)arg;
    if (tn_self()->cur->num != 0)
        return;
    for (long burst = 1; burst <= 100; burst++) {
        for (int i = 0; i < 200; i++)
            create(consume, NULL, 0, true);
        while (tn_load_acq(&consumed) < 200 * burst) /* not a scheduling point: the others have to */
            sched_yield();
    }
}

Test(task, records_return_to_who_creates, .timeout = 60)
{
    tn_region(produce, NULL, 2, 0);
    size_t chunks = records(tn_self()->crew->teams[2]);
    cr_expect_leq(chunks, 20, "%zu chunks of 32 for 200 tasks at a time", chunks);
}

/* --- Tied tasks: a taskwait runs descendants only --------------------------------------------------------------------------- */

static _Atomic bool sibling_ran, child_ran;

static void sibling(void *arg) { (void)arg; tn_store(&sibling_ran, true); }
static void child(void *arg) { (void)arg; tn_store(&child_ran, true); }

static void waits(void *arg)
{
    (void)arg;
    create(child, NULL, 0, true);
    tn_task_wait(tn_self());
    cr_expect(tn_load(&child_ran));
    cr_expect_not(tn_load(&sibling_ran), "ran inside the wait of a task it does not descend from");
    tn_task_yield(tn_self());
    cr_expect_not(tn_load(&sibling_ran));
}

static void tied(void *arg)
{
    (void)arg;
    create(sibling, NULL, 0, true);
    create(waits, NULL, 0, false);
    tn_task_wait(tn_self());
    cr_expect(tn_load(&sibling_ran));
}

Test(task, tied) { tn_region(tied, NULL, 1, 0); }

/* --- Taskloops ------------------------------------------------------------------------------------------------------------- */

static struct {
    struct { uintptr_t from, to; } range[64];
    _Atomic unsigned n;
} loop_seen;

static void note(void *arg)
{
    memcpy(&loop_seen.range[atomic_fetch_add(&loop_seen.n, 1)], arg, sizeof loop_seen.range[0]);
}

static int by_start(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return x < y ? -1 : x > y;
}

static void loop(const struct tn_taskloop *tl, long start, long end, long step)
{
    uintptr_t data[2] = {0, 0};
    struct tn_task_spec spec = {.fn = note, .data = data, .size = sizeof data, .align = 8, .if_ = true};
    tn_store(&loop_seen.n, 0);
    tn_taskloop_long(tn_self(), &spec, tl, start, end, step);
    qsort(loop_seen.range, loop_seen.n, sizeof loop_seen.range[0], by_start);
}

static void loops(void *arg)
{
    (void)arg;
    if (tn_self()->cur->num != 0)
        return;
    struct tn_taskloop tl = {.num_tasks = 10, .grainsize = true, .up = true};
    loop(&tl, 0, 105, 1);
    cr_expect_eq(loop_seen.n, 10);
    long next = 0;
    for (unsigned i = 0; i < loop_seen.n; next = (long)loop_seen.range[i++].to) {
        long n = (long)(loop_seen.range[i].to - loop_seen.range[i].from);
        cr_expect((long)loop_seen.range[i].from == next && n >= 10 && n < 20, "task %u: %ld", i, n);
    }
    cr_expect_eq(next, 105);
    tl.strict = true;
    loop(&tl, 0, 105, 1);
    cr_expect(loop_seen.n == 11 && loop_seen.range[9].to == 100 && loop_seen.range[10].to == 105);
    tl = (struct tn_taskloop){.num_tasks = 7};
    loop(&tl, 20, -1, -5); /* 20, 15, 10, 5, 0 */
    cr_expect(loop_seen.n == 5 && (long)loop_seen.range[0].from == 0 && (long)loop_seen.range[0].to == -1);
    tl = (struct tn_taskloop){.num_tasks = 1000, .up = true};
    loop(&tl, INT64_MAX - 5, INT64_MAX, 3);
    cr_expect(loop_seen.n == 2 && loop_seen.range[1].to == INT64_MAX, "the end of the type");
    loop(&tl, 5, 5, 1);
    cr_expect_eq(loop_seen.n, 0);
}

Test(task, taskloop_ranges) { tn_region(loops, NULL, 2, 0); }

/* --- Dependences ------------------------------------------------------------------------------------------------------------- */

#define STEPS 400
static struct step {
    int kind;                /* 1 in, 3 inout, 4 mutexinoutset, 5 inoutset, 0 omp_all_memory */
    int var;
    _Atomic int done;
} steps[STEPS];
static int vars[3];

static bool conflict(const struct step *a, const struct step *b)
{
    if (a->kind == 0 || b->kind == 0)
        return true;
    return a->var == b->var && (a->kind != b->kind || a->kind == 3);
}

/* All earlier steps in conflict are done; for mutexinoutset that is more than OpenMP asks and what is promised in task_deps.c. */
static void step_run(void *arg)
{
    struct step *s = *(struct step **)arg;
    for (struct step *p = steps; p < s; p++)
        cr_assert(!conflict(p, s) || tn_load_acq(&p->done), "step %zd (kind %d) before %zd (kind %d)", s - steps, s->kind,
                  p - steps, p->kind);
    tn_store_rel(&s->done, 1);
}

static void step_create(struct step *s, unsigned form)
{
    void *addr = s->kind ? &vars[s->var] : NULL, *object[2] = {addr, (void *)(intptr_t)(s->kind ? s->kind : 3)};
    void *shorty[3] = {(void *)1, (void *)(uintptr_t)(s->kind != 1), addr};
    void *longy[6] = {NULL, (void *)1, NULL, NULL, NULL, addr};
    if (form == 1 && s->kind != 5)
        longy[s->kind == 1 ? 4 : s->kind == 4 ? 3 : 2] = (void *)1;
    else
        longy[5] = object;
    const struct tn_task_spec spec = {.fn = step_run, .data = &s, .size = sizeof s, .align = 8, .if_ = form != 3,
                                      .depend = form == 0 && (s->kind == 1 || s->kind == 3) ? shorty : longy};
    tn_task_create(tn_self(), &spec);
}

static void stepper(void *arg)
{
    static const int kinds[] = {1, 1, 1, 3, 4, 4, 5, 5, 1, 0};
    unsigned random = *(unsigned *)arg;
    if (tn_self()->cur->num != 0)
        return;
    for (struct step *s = steps; s < steps + STEPS; s++) {
        random = random * 1664525u + 1013904223u;
        s->kind = kinds[(random >> 8) % (random >> 28 ? 9 : 10)];
        s->var = (int)(random >> 16) % 3;
        tn_store(&s->done, 0);
        step_create(s, random >> 20 & 3);
    }
    void *all_in[5] = {(void *)3, NULL, &vars[0], &vars[1], &vars[2]};
    tn_task_wait_depend(tn_self(), all_in);
    for (struct step *s = steps; s < steps + STEPS; s++)
        cr_assert(s->kind == 1 || tn_load_acq(&s->done), "taskwait depend did not wait for step %zd", s - steps);
}

Test(task, dependences, .timeout = 120)
{
    for (unsigned round = 0; round < 60; round++)
        tn_region(stepper, &round, 1 + round % 4, 0);
}

/* --- Events ------------------------------------------------------------------------------------------------------------------ */

static void *fulfil(void *event)
{
    tn_task_fulfill((uintptr_t)event);
    return NULL;
}

static pthread_t foreign[64];
static _Atomic unsigned nforeign;
static _Atomic int bodies;

static void with_event(void *arg)
{
    pthread_create(&foreign[atomic_fetch_add(&nforeign, 1)], NULL, fulfil, *(void **)arg);
    atomic_fetch_add(&bodies, 1);
}

static void after_event(void *arg) { (void)arg; atomic_fetch_add(&bodies, 1000); }

static void detaches(void *arg)
{
    (void)arg;
    if (tn_self()->cur->num == 0)
        for (int i = 0; i < 8; i++) {
            void *event, *data[1];
            void *out[3] = {(void *)1, (void *)1, &vars[0]}, *in[3] = {(void *)1, NULL, &vars[0]};
            const struct tn_task_spec a = {.fn = with_event, .data = data, .size = sizeof data, .align = 8, .if_ = i != 3,
                                           .depend = out, .detach = &event};
            const struct tn_task_spec b = {.fn = after_event, .align = 1, .if_ = true, .depend = in};
            tn_task_create(tn_self(), &a);
            tn_task_create(tn_self(), &b);
        }
    tn_barrier(tn_self());
    cr_expect_eq(tn_load(&bodies), 8008);
}

Test(task, events_from_threads_that_know_no_openmp, .timeout = 60)
{
    for (unsigned round = 0; round < 50; round++) {
        tn_store(&bodies, 0);
        tn_store(&nforeign, 0);
        tn_region(detaches, NULL, 1 + round % 4, 0);
        for (unsigned i = 0; i < nforeign; i++)
            pthread_join(foreign[i], NULL);
    }
}
