/* SPDX-License-Identifier: MIT */
/* Memory of task records. Each member frees into a list of its own and takes from it; what exceeds TN_TASK_KEEP goes to the
 * team, where a member whose lists are empty takes all there is (one creates, the others consume: records return in
 * batches; `data` of a record on its way there names the one AHEAD places behind it, to be fetched). New ones come in
 * chunks, touched first by the member that needs them. Invariant: a record stays a record until the team is freed; live ones
 * never exceed the most tasks there ever were at once by more than TN_TASK_KEEP and a chunk per member. */
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "task_impl.h"

#define CHUNK 32 /* records */
#define AHEAD 8  /* records fetched before they are needed */

struct tn_task_chunk {
    struct tn_task_chunk *next;
    alignas(TN_LINE) struct tn_task_x record[CHUNK];
};

static struct tn_task_x *new_chunk(struct tn_task_member *q)
{
    struct tn_task_chunk *c = aligned_alloc(TN_LINE, sizeof *c);
    if (!c)
        tn_fatal("out of memory for tasks (%zu bytes)", sizeof *c);
    memset(c, 0, sizeof *c);
    c->next = q->chunks;
    q->chunks = c;
    for (unsigned i = 0; i + 1 < CHUNK; i++)
        c->record[i].next = &c->record[i + 1];
    return c->record;
}

struct tn_task_x *tn_task_mem_get_slow(struct tn_member *m)
{
    struct tn_task_member *q = &m->tq;
    if (!q->reserve)
        q->reserve = atomic_exchange_explicit(&m->team->tasks.spare, NULL, memory_order_acquire); /* pairs with spare_put */
    if (!q->reserve)
        q->reserve = new_chunk(q);
    struct tn_task_x *x = q->reserve;
    q->reserve = x->next;
    if (x->data) { /* the lines that make() writes: a record freed elsewhere has them in that processor's cache */
        __builtin_prefetch(x->data, 1);
        __builtin_prefetch((char *)x->data + TN_LINE, 1);
    }
    return x;
}

static void spare_put(struct tn_team *team, struct tn_task_x *head, struct tn_task_x *tail)
{
    struct tn_task_x *old = tn_load(&team->tasks.spare);
    do {
        tail->next = old;
    } while (!atomic_compare_exchange_weak_explicit(&team->tasks.spare, &old, head, memory_order_release,
                                                    memory_order_relaxed));
}

void tn_task_mem_put_slow(struct tn_team *team, struct tn_member *m, struct tn_task_x *x)
{
    if (!m) {
        x->data = NULL;
        spare_put(team, x, x);
        return;
    }
    struct tn_task_x *head = m->tq.free, *tail = head, *behind = head;
    for (unsigned n = 0;; tail = tail->next) {
        if (n++ >= AHEAD) {
            behind->data = tail;
            behind = behind->next;
        }
        tail->data = NULL;
        if (!tail->next)
            break;
    }
    spare_put(team, head, tail);
    x->next = NULL;
    m->tq.free = x;
    m->tq.nfree = 1;
}

void tn_task_team_init(struct tn_team *team)
{
    (void)team; /* all zero is the empty state */
}

void tn_task_team_fini(struct tn_team *team)
{
    for (unsigned i = 0; i < team->width; i++) {
        struct tn_member *m = &team->member[i];
        tn_task_deps_free(team, m, &m->implicit);
        free(m->tq.slots);
    }
    for (unsigned i = 0; i < team->width; i++)
        for (struct tn_task_chunk *c = team->member[i].tq.chunks, *next; c; c = next) {
            next = c->next;
            free(c);
        }
}
