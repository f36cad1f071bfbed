/* SPDX-License-Identifier: MIT */
/* Taskgroups, their cancellation, and task reductions. A taskgroup belongs to the task that encountered it; members of the team
 * count themselves in and out (task_impl.h).
 *
 * The reduction array as the compiler emits it, in words:
 *   [0] how many list items   [1] bytes of one thread's copies   [2] in: their alignment, out: the copies of thread 0, then
 *   of thread 1, …, all zero (each has a flag that its task sets once it is initialised)   [3]…[6] the runtime's
 *   [7 + 3i] address of original item i   [8 + 3i] its offset in a thread's copies
 * Ours: [4] next array of the same taskgroup, [5] copies there are. Only [2] is shared between threads: a worksharing
 * construct's array exists once per thread, its copies once; they go when the last of its threads has unregistered. */
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "task_impl.h"

enum { R_CNT = 0, R_SIZE = 1, R_MEM = 2, R_NEXT = 4, R_COPIES = 5, R_ITEMS = 7 };

/* In front of the copies. */
struct head {
    _Atomic unsigned refs;
    void *block;
};

void tn_task_group_start(struct tn_thread *me)
{
    struct tn_task *t = me->task;
    struct tn_taskgroup *g = (struct tn_taskgroup *)tn_task_mem_get(me->cur);
    g->prev = tn_load(&t->group);
    g->owner = me;
    g->reductions = NULL;
    g->local = 0;
    tn_store(&g->remote, 0);
    tn_store(&g->cancelled, false);
    g->workshare = false;
    tn_store(&t->group, g);
}
_Static_assert(sizeof(struct tn_taskgroup) <= TN_TASK_RECORD, "a taskgroup fits in a record");

void tn_task_group_end(struct tn_thread *me)
{
    struct tn_task *t = me->task;
    struct tn_taskgroup *g = tn_load(&t->group);
    if (tn_unlikely(!g))
        return;
    const struct tn_task_until until = {.group = g};
    tn_task_await(me, &until);
    tn_store(&t->group, g->prev);
    tn_task_mem_put(me->cur->team, me->cur, (struct tn_task_x *)g);
}

void tn_task_cancel_group(struct tn_thread *me)
{
    struct tn_taskgroup *g = tn_load(&me->task->group);
    if (g && g->workshare)
        g = g->prev;
    if (g)
        tn_store(&g->cancelled, true);
}

bool tn_task_group_cancelled(struct tn_thread *me)
{
    const struct tn_taskgroup *g = tn_load(&me->task->group);
    if (g && g->workshare)
        g = g->prev;
    return g && tn_load(&g->cancelled);
}

static void *copies_make(size_t size, size_t align, unsigned copies, unsigned refs)
{
    align = align < TN_LINE ? TN_LINE : align;
    size_t bytes = (align + size * copies + align - 1) & ~(align - 1);
    char *block = aligned_alloc(align, bytes);
    if (!block)
        tn_fatal("out of memory for task reductions (%zu bytes)", bytes);
    memset(block, 0, bytes);
    struct head *h = (struct head *)(block + align) - 1;
    tn_store(&h->refs, refs);
    h->block = block;
    return h + 1;
}

static void copies_put(void *mem)
{
    struct head *h = (struct head *)mem - 1;
    if (atomic_fetch_sub_explicit(&h->refs, 1, memory_order_acq_rel) == 1)
        free(h->block);
}

static void prepare(const struct tn_team *team, uintptr_t *data, void *mem, unsigned refs)
{
    data[R_COPIES] = team->width;
    data[R_MEM] = (uintptr_t)(mem ? mem : copies_make(data[R_SIZE], data[R_MEM], team->width, refs));
}

void tn_task_reduction_register(struct tn_thread *me, uintptr_t *data)
{
    struct tn_taskgroup *g = tn_load(&me->task->group);
    prepare(me->cur->team, data, NULL, 1);
    data[R_NEXT] = (uintptr_t)g->reductions;
    g->reductions = data;
}

void tn_task_reduction_unregister(uintptr_t *data)
{
    copies_put((void *)data[R_MEM]);
}

void tn_task_reduction_region(struct tn_team *team, uintptr_t *data)
{
    team->reductions = data;
    prepare(team, data, NULL, 1);
    data[R_NEXT] = 0;
}

void *tn_task_reduction_ws_start(struct tn_thread *me, uintptr_t *data, void *mem)
{
    const struct tn_team *team = me->cur->team;
    tn_task_group_start(me);
    struct tn_taskgroup *g = tn_load(&me->task->group);
    g->workshare = true;
    prepare(team, data, mem, team->width);
    data[R_NEXT] = 0;
    g->reductions = data;
    return (void *)data[R_MEM];
}

void tn_task_reduction_ws_end(struct tn_thread *me)
{
    uintptr_t *data = ((struct tn_taskgroup *)tn_load(&me->task->group))->reductions;
    tn_task_group_end(me);
    copies_put((void *)data[R_MEM]);
}

/* Looks `*ptr` up in one array: an original item, or a place in some thread's copies. True: `*ptr` is now the same place in
 * the copies of thread `num`, and `*orig` in the original. */
static bool remap_in(const uintptr_t *data, unsigned num, void **ptr, void **orig)
{
    uintptr_t p = (uintptr_t)*ptr, mem = data[R_MEM], size = data[R_SIZE];
    const uintptr_t *best = NULL;
    bool copy = p - mem < size * data[R_COPIES];
    uintptr_t off = copy ? (p - mem) % size : 0;
    for (const uintptr_t *item = data + R_ITEMS; item < data + R_ITEMS + 3 * data[R_CNT]; item += 3) {
        if (!copy && item[0] == p) {
            *orig = *ptr;
            *ptr = (void *)(mem + num * size + item[1]);
            return true;
        }
        if (copy && item[1] <= off && (!best || item[1] > best[1]))
            best = item;
    }
    if (!copy || !best)
        return false;
    *orig = (void *)(best[0] + (off - best[1]));
    *ptr = (void *)(mem + num * size + off);
    return true;
}

static bool remap(struct tn_thread *me, void **ptr, void **orig)
{
    unsigned num = me->cur->num;
    for (const struct tn_taskgroup *g = tn_load(&me->task->group); g; g = g->prev)
        for (const uintptr_t *d = g->reductions; d; d = (const uintptr_t *)d[R_NEXT])
            if (remap_in(d, num, ptr, orig))
                return true;
    return me->cur->team->reductions && remap_in(me->cur->team->reductions, num, ptr, orig);
}

void tn_task_reduction_remap(struct tn_thread *me, size_t cnt, size_t cntorig, void **ptrs)
{
    for (size_t i = 0; i < cnt; i++) {
        void *orig = NULL;
        if (!remap(me, &ptrs[i], &orig))
            tn_fatal("in_reduction without a matching task_reduction");
        if (i < cntorig)
            ptrs[cnt + i] = orig;
    }
}
