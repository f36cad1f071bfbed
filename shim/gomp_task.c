/* SPDX-License-Identifier: MIT */
/* Task entries of compiled code. Called by any thread; what they do is in omp_bridge/task*.c. Here: flags of the ABI. */
#include "export.h"
#include "gomp_abi.h"
#include "task.h"
#include "team.h"
#include "thread.h"

/* untied and mergeable ask for nothing here. */
static int priority_of(int priority)
{
    int max = tn_global.max_task_priority;
    return priority < 0 ? 0 : priority < max ? priority : max;
}

/* The last arguments came with later compilers; a flag says that they are there. */
void GOMP_task(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size, long align, tn_bool_arg if_,
               unsigned flags, void **depend, int priority, void *detach)
{
    const struct tn_task_spec spec = {
        .fn = fn,
        .data = data,
        .cpyfn = cpyfn,
        .size = (size_t)size,
        .align = (size_t)align,
        .depend = flags & GOMP_TASK_FLAG_DEPEND ? depend : NULL,
        .detach = flags & GOMP_TASK_FLAG_DETACH ? detach : NULL,
        .priority = flags & GOMP_TASK_FLAG_PRIORITY ? priority_of(priority) : 0,
        .if_ = tn_bool(if_),
        .final = flags & GOMP_TASK_FLAG_FINAL,
    };
    tn_task_create(tn_self_attach(), &spec);
}

#define TASKLOOP(name, run, type)                                                                     \
    void name(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size, long align,   \
              unsigned flags, unsigned long num_tasks, int priority, type start, type end, type step) \
    {                                                                                                 \
        struct tn_task_spec spec = {                                                                  \
            .fn = fn,                                                                                 \
            .data = data,                                                                             \
            .cpyfn = cpyfn,                                                                           \
            .size = (size_t)size,                                                                     \
            .align = (size_t)align,                                                                   \
            .priority = flags & GOMP_TASK_FLAG_PRIORITY ? priority_of(priority) : 0,                  \
            .if_ = flags & GOMP_TASK_FLAG_IF,                                                         \
            .final = flags & GOMP_TASK_FLAG_FINAL,                                                    \
        };                                                                                            \
        const struct tn_taskloop tl = {                                                               \
            .num_tasks = num_tasks,                                                                   \
            .grainsize = flags & GOMP_TASK_FLAG_GRAINSIZE,                                            \
            .strict = flags & GOMP_TASK_FLAG_STRICT,                                                  \
            .nogroup = flags & GOMP_TASK_FLAG_NOGROUP,                                                \
            .reduction = flags & GOMP_TASK_FLAG_REDUCTION,                                            \
            .up = flags & GOMP_TASK_FLAG_UP,                                                          \
        };                                                                                            \
        run(tn_self_attach(), &spec, &tl, start, end, step);                                          \
    }
TASKLOOP(GOMP_taskloop, tn_taskloop_long, long)
TASKLOOP(GOMP_taskloop_ull, tn_taskloop_ull, tn_ull)

void GOMP_taskwait(void)
{
    tn_task_wait(tn_self());
}

void GOMP_taskwait_depend(void **depend)
{
    tn_task_wait_depend(tn_self(), depend);
}

void GOMP_taskwait_depend_nowait(void **depend)
{
    tn_task_wait_depend_nowait(tn_self_attach(), depend);
}

void GOMP_taskyield(void)
{
    tn_task_yield(tn_self());
}

void GOMP_taskgroup_start(void)
{
    tn_task_group_start(tn_self_attach());
}

void GOMP_taskgroup_end(void)
{
    tn_task_group_end(tn_self());
}

void GOMP_taskgroup_reduction_register(uintptr_t *data)
{
    tn_task_reduction_register(tn_self_attach(), data);
}

void GOMP_taskgroup_reduction_unregister(uintptr_t *data)
{
    tn_task_reduction_unregister(data);
}

void GOMP_task_reduction_remap(size_t cnt, size_t cntorig, void **ptrs)
{
    tn_task_reduction_remap(tn_self(), cnt, cntorig, ptrs);
}

TN_EXPORT void omp_fulfill_event(uintptr_t event); /* omp.h has its own enumeration for the argument */

void omp_fulfill_event(uintptr_t event)
{
    tn_task_fulfill(event);
}

/* Fortran passes it by value too. */
TN_EXPORT void omp_fulfill_event_(uintptr_t event) __attribute__((alias("omp_fulfill_event")));
