/* SPDX-License-Identifier: MIT */
/* Taskloop: how many iterations, how many tasks, which range each gets. By the member that encounters it. Invariant: ranges are
 * contiguous, in order, of sizes that differ by one at most (strict grain size: all equal but the last). */
#include "loop.h"
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

static void run(struct tn_thread *me, struct tn_task_spec *spec, const struct tn_taskloop *tl, unsigned long long n,
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
    unsigned long long each, plus, tasks = split(me->cur->team, tl, n, &each, &plus);
    for (unsigned long long i = 0; i < tasks; i++) {
        unsigned long long to = start + (each + (i < plus)) * step;
        uintptr_t range[2] = {start, i + 1 == tasks ? end : to}; /* not beyond `end`: the type may end there */
        spec->range = range;
        tn_task_create(me, spec);
        start = to;
    }
    if (!tl->nogroup)
        tn_task_group_end(me);
}

void tn_taskloop_long(struct tn_thread *me, struct tn_task_spec *spec, const struct tn_taskloop *tl, long start, long end,
                      long step)
{
    run(me, spec, tl, tn_ws_trip_long(start, end, step), (unsigned long)start, (unsigned long)end, (unsigned long)step);
}

void tn_taskloop_ull(struct tn_thread *me, struct tn_task_spec *spec, const struct tn_taskloop *tl, unsigned long long start,
                     unsigned long long end, unsigned long long step)
{
    run(me, spec, tl, tn_ws_trip_ull(tl->up, start, end, step), start, end, step);
}
