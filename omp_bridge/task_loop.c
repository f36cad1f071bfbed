/* SPDX-License-Identifier: MIT */
/* Taskloop: how many iterations, how many tasks, which range each gets. By the member that encounters it. Invariant: ranges are
 * contiguous, in order, of sizes that differ by one at most (strict grain size: all equal but the last). */
#include "loop.h"
#include "task_deque.h"
#include "task_impl.h"

/* `n` > 0 iterations over how many tasks, `*each` of them at least, `*plus` more for the first so many. */
static unsigned long long split(const struct tn_team *team, const struct tn_taskloop *tl, unsigned long long n,
                                unsigned long long *each, unsigned long long *plus)
{
    unsigned long long tasks = tl->num_tasks;
    *plus = 0;
    if (tl->grainsize && tl->strict && tasks) {
        *each = tasks;
        return n / tasks + (n % tasks != 0);
    }
    if (tl->grainsize && tasks)
        tasks = n / tasks; /* each gets the grain size or more, less than twice */
    else if (!tasks)
        tasks = team->width;
    if (tasks == 0)
        tasks = 1;
    if (tasks > n)
        tasks = n;
    *each = n / tasks;
    *plus = n % tasks;
    return tasks;
}

/* A taskloop whose end is waited for and whose data are copied by bytes. Its tasks are not made one by one: a piece of it, a
 * run of tasks, lies in a deque; whoever runs the piece leaves half of the rest there whenever nothing is left for thieves,
 * and runs its own tasks one after another, each with its own record and data (lazy binary splitting: Tzannes, Caragea,
 * Barua, Vishkin, PPoPP 2010). Lives in the frame of the thread that waits. */
struct loop {
    const struct tn_task_spec *spec;
    struct tn_task *parent;
    unsigned long long start, end, step, each, plus, tasks;
};

struct piece {
    const struct loop *of;
    unsigned long long from, to; /* tasks, not iterations */
};

/* Where task `i` begins. The last ends at `end` and not beyond: the type may end there. */
TN_INLINE uintptr_t begin(const struct loop *l, unsigned long long i)
{
    return i == l->tasks ? l->end : l->start + (i * l->each + (i < l->plus ? i : l->plus)) * l->step;
}

static void defer(struct tn_thread *me, struct piece p);

static void run_piece(void *arg)
{
    struct tn_thread *me = tn_self();
    struct piece p = *(struct piece *)arg;
    const struct loop *l = p.of;
    struct tn_task_spec one = *l->spec;
    uintptr_t range[2] = {0, begin(l, p.from)};
    one.range = range;
    for (; p.from < p.to; p.from++) {
        if (p.to - p.from > 1 && tn_task_deque_empty(&me->cur->tq)) {
            struct piece rest = {l, p.from + (p.to - p.from + 1) / 2, p.to};
            p.to = rest.from;
            defer(me, rest);
        }
        range[0] = range[1];
        range[1] = begin(l, p.from + 1);
        tn_task_run_now(me, l->parent, &one);
    }
}

static void defer(struct tn_thread *me, struct piece p)
{
    const struct tn_task_spec s = {.fn = run_piece, .data = &p, .size = sizeof p, .align = alignof(struct piece), .if_ = true};
    tn_task_defer_piece(me, p.of->parent, &s);
}

static void create_all(struct tn_thread *me, const struct loop *l)
{
    struct tn_task_spec one = *l->spec;
    uintptr_t range[2];
    one.range = range;
    for (unsigned long long i = 0; i < l->tasks; i++) {
        range[0] = begin(l, i);
        range[1] = begin(l, i + 1);
        tn_task_create(me, &one);
    }
}

static void run(struct tn_thread *me, const struct tn_task_spec *spec, const struct tn_taskloop *tl, unsigned long long n,
                unsigned long long start, unsigned long long end, unsigned long long step)
{
    uintptr_t *reductions = tl->reduction ? ((uintptr_t **)spec->data)[2] : NULL;
    if (n == 0) {
        if (reductions)
            reductions[2] = 0; /* tells the compiler's code that there is nothing to combine */
        return;
    }
    if (!tl->nogroup) {
        tn_task_group_start(me);
        if (reductions)
            tn_task_reduction_register(me, reductions);
    }
    const struct tn_team *team = me->cur->team;
    struct loop l = {.spec = spec, .parent = me->task, .start = start, .end = end, .step = step};
    l.tasks = split(team, tl, n, &l.each, &l.plus);
    bool one_by_one = tl->nogroup || spec->cpyfn || spec->priority > 0 || !spec->if_ || me->task->final || !team->crew;
    if (one_by_one || tn_task_cancelled(team, me->task))
        create_all(me, &l);
    else
        defer(me, (struct piece){&l, 0, l.tasks});
    if (!tl->nogroup)
        tn_task_group_end(me);
}

void tn_taskloop_long(struct tn_thread *me, const struct tn_task_spec *spec, const struct tn_taskloop *tl, long start, long end,
                      long step)
{
    run(me, spec, tl, tn_ws_trip_long(start, end, step), (unsigned long)start, (unsigned long)end, (unsigned long)step);
}

void tn_taskloop_ull(struct tn_thread *me, const struct tn_task_spec *spec, const struct tn_taskloop *tl, unsigned long long start,
                     unsigned long long end, unsigned long long step)
{
    run(me, spec, tl, tn_ws_trip_ull(tl->up, start, end, step), start, end, step);
}
