/* SPDX-License-Identifier: MIT */
/* Dependences between the children of a task. A table from address to the tasks that named it last belongs to the parent and is
 * touched only by the thread that runs the parent. Each task with a depend clause has a node; a node's list of
 * successors is the only part that other threads touch.
 *
 * Protocol of a node's `succ`: links are pushed by exchange while the task is not complete; completion exchanges CLOSED for the
 * list. A push that meets CLOSED found a predecessor that is done. Each link counted in the successor's `wait` before it
 * is pushed is taken off exactly once, by the predecessor's completion, and the one who makes `wait` 0 makes the
 * successor run (creation holds one itself). Release on the way off, acquire by the last: all predecessors happened before.
 *
 * Kinds. in and inoutset are sets: members of one do not wait for each other. out, inout and mutexinoutset are taken as sets of
 * one: creation order is a legal order for mutexinoutset. A task waits for the set before its own. */
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "task_impl.h"

enum kind { KIND_IN, KIND_SET, KIND_OUT };

struct link {
    struct link *next;
    struct tn_task_node *node; /* the successor */
};

#define CLOSED ((struct link *)1)

/* Lives in the memory of a record, as do the blocks of links that it needs more. */
struct tn_task_node {
    struct tn_task was;           /* not used: see Records in task_impl.h */
    _Atomic(struct link *) succ;
    _Atomic uint32_t wait;        /* predecessors not complete, and 1 while being created */
    _Atomic uint32_t refs;        /* its task, and every set it is in */
    struct tn_task_x *task;       /* to run when ready; NULL: `waiter` waits */
    struct tn_thread *waiter;
    struct links *more;           /* full blocks */
    unsigned nlinks;
    struct link link[9];
};
_Static_assert(sizeof(struct tn_task_node) <= TN_TASK_RECORD, "a node fits in a record");

struct links {
    struct tn_task was; /* not used */
    struct links *more;
    unsigned nlinks;
    struct link link[11];
};
_Static_assert(sizeof(struct links) <= TN_TASK_RECORD, "a block of links fits in a record");

struct set {
    struct tn_task_node **node;
    unsigned n, cap;
    enum kind kind;
};

struct entry {
    void *addr;
    bool used;
    struct set last, before; /* tasks that named addr last; those that all of them wait for */
};

struct tn_task_deps {
    struct entry *entry; /* open addressing, power of two */
    unsigned cap, used;
    struct tn_task_node *all; /* the last omp_all_memory task, NULL: none */
};

/* Memory ---------------------------------------------------------------------------------------------------------- */

static void unref(struct tn_team *team, struct tn_member *m, struct tn_task_node *n)
{
    if (atomic_fetch_sub_explicit(&n->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (struct links *b = n->more, *next; b; b = next) {
        next = b->more;
        tn_task_mem_put(team, m, (struct tn_task_x *)b);
    }
    tn_task_mem_put(team, m, (struct tn_task_x *)n);
}

static struct tn_task_node *node_make(struct tn_member *m, struct tn_task_x *task, struct tn_thread *waiter)
{
    struct tn_task_node *n = (struct tn_task_node *)tn_task_mem_get(m);
    tn_store(&n->succ, NULL);
    tn_store(&n->wait, 1);
    tn_store(&n->refs, 1);
    n->task = task;
    n->waiter = waiter;
    n->more = NULL;
    n->nlinks = 0;
    return n;
}

static struct link *link_make(struct tn_member *m, struct tn_task_node *n)
{
    if (n->nlinks < sizeof n->link / sizeof n->link[0])
        return &n->link[n->nlinks++];
    if (!n->more || n->more->nlinks == sizeof n->more->link / sizeof n->more->link[0]) {
        struct links *b = (struct links *)tn_task_mem_get(m);
        b->more = n->more;
        b->nlinks = 0;
        n->more = b;
    }
    return &n->more->link[n->more->nlinks++];
}

static void set_clear(struct tn_team *team, struct tn_member *m, struct set *s)
{
    for (unsigned i = 0; i < s->n; i++)
        unref(team, m, s->node[i]);
    s->n = 0;
}

static bool done(struct tn_task_node *n)
{
    return tn_load_acq(&n->succ) == CLOSED;
}

static void set_add(struct tn_member *m, struct set *s, struct tn_task_node *n)
{
    if (s->n == s->cap) { /* a set of readers may go on for ever: those done need not stay */
        unsigned kept = 0;
        for (unsigned i = 0; i < s->n; i++)
            if (done(s->node[i]))
                unref(m->team, m, s->node[i]);
            else
                s->node[kept++] = s->node[i];
        s->n = kept;
    }
    if (s->n * 2 >= s->cap) {
        s->cap = s->cap ? s->cap * 2 : 4;
        s->node = realloc(s->node, s->cap * sizeof(struct tn_task_node *));
        if (!s->node)
            tn_fatal("out of memory for task dependences (%u readers)", s->cap);
    }
    s->node[s->n++] = n;
    atomic_fetch_add_explicit(&n->refs, 1, memory_order_relaxed);
}

/* Table ----------------------------------------------------------------------------------------------------------- */

static unsigned slot_of(const struct tn_task_deps *d, void *addr)
{
    unsigned i = (unsigned)(((uintptr_t)addr >> 2) * 0x9e3779b97f4a7c15u >> 40) & (d->cap - 1);
    while (d->entry[i].used && d->entry[i].addr != addr)
        i = (i + 1) & (d->cap - 1);
    return i;
}

static bool idle(const struct entry *e)
{
    for (unsigned i = 0; i < e->last.n; i++)
        if (!done(e->last.node[i]))
            return false;
    for (unsigned i = 0; i < e->before.n; i++)
        if (!done(e->before.node[i]))
            return false;
    return true;
}

static void entry_clear(struct tn_team *team, struct tn_member *m, struct entry *e)
{
    set_clear(team, m, &e->last);
    set_clear(team, m, &e->before);
    free(e->last.node);
    free(e->before.node);
    memset(e, 0, sizeof *e);
}

/* Half full: leave out addresses nobody waits for, and take twice the room for the others if they need it. */
static void table_grow(struct tn_member *m, struct tn_task_deps *d)
{
    struct entry *old = d->entry;
    unsigned n = d->cap, live = 0;
    for (unsigned i = 0; i < n; i++) {
        if (old[i].used && idle(&old[i]))
            entry_clear(m->team, m, &old[i]);
        live += old[i].used;
    }
    d->cap = n == 0 ? 16 : live * 4 >= n ? n * 2 : n;
    d->used = live;
    d->entry = calloc(d->cap, sizeof *d->entry);
    if (!d->entry)
        tn_fatal("out of memory for task dependences (%u addresses)", d->cap);
    for (unsigned i = 0; i < n; i++)
        if (old[i].used)
            d->entry[slot_of(d, old[i].addr)] = old[i];
    free(old);
}

/* The entry of `addr`, made if need be. A new one comes after the last omp_all_memory task. */
static struct entry *entry_of(struct tn_member *m, struct tn_task_deps *d, void *addr)
{
    if (d->used * 2 >= d->cap)
        table_grow(m, d);
    struct entry *e = &d->entry[slot_of(d, addr)];
    if (!e->used) {
        e->used = true;
        e->addr = addr;
        e->last.kind = KIND_OUT;
        d->used++;
        if (d->all)
            set_add(m, &e->last, d->all);
    }
    return e;
}

/* The table goes; nodes may live on. */
void tn_task_deps_free(struct tn_team *team, struct tn_member *m, struct tn_task *parent)
{
    struct tn_task_deps *d = parent->deps;
    if (!d)
        return;
    parent->deps = NULL;
    for (unsigned i = 0; i < d->cap; i++)
        if (d->entry[i].used)
            entry_clear(team, m, &d->entry[i]);
    if (d->all)
        unref(team, m, d->all);
    free(d->entry);
    free(d);
}

/* Depend arrays of the ABI ---------------------------------------------------------------------------------------- */
/* Short form:  [0] n > 0, [1] how many of them out/inout, [2…] addresses, out first, then in.
 * Long form:   [0] 0, [1] n, [2] out/inout, [3] mutexinoutset, [4] in, [5…] addresses in this order, then pointers to
 *              depend objects {address, kind}; kind 1 in, 2 out, 3 inout, 4 mutexinoutset, 5 inoutset (which the compiler
 *              always passes so). Address NULL as out/inout: omp_all_memory. */

static size_t depend_count(void **depend)
{
    return (uintptr_t)(depend[0] ? depend[0] : depend[1]);
}

static void *depend_get(void **depend, size_t i, enum kind *kind)
{
    if (depend[0]) {
        *kind = i < (uintptr_t)depend[1] ? KIND_OUT : KIND_IN;
        return depend[2 + i];
    }
    size_t out = (uintptr_t)depend[2] + (uintptr_t)depend[3], in = (uintptr_t)depend[4];
    *kind = i < out ? KIND_OUT : KIND_IN;
    if (i < out + in)
        return depend[5 + i];
    void **object = depend[5 + i];
    uintptr_t k = (uintptr_t)object[1];
    *kind = k == 1 ? KIND_IN : k == 5 ? KIND_SET : KIND_OUT;
    return object[0];
}

/* Entering -------------------------------------------------------------------------------------------------------- */

static void wait_for(struct tn_member *m, struct tn_task_node *n, struct tn_task_node *pred)
{
    if (pred == n || done(pred))
        return;
    struct link *l = link_make(m, n);
    l->node = n;
    l->next = tn_load_acq(&pred->succ);
    atomic_fetch_add_explicit(&n->wait, 1, memory_order_relaxed);
    do {
        if (l->next == CLOSED) {
            atomic_fetch_sub_explicit(&n->wait, 1, memory_order_relaxed); /* creation's own is still there */
            return;
        }
    } while (!atomic_compare_exchange_weak_explicit(&pred->succ, &l->next, l, memory_order_release, memory_order_acquire));
}

static void wait_for_set(struct tn_member *m, struct tn_task_node *n, const struct set *s)
{
    for (unsigned i = 0; i < s->n; i++)
        wait_for(m, n, s->node[i]);
}

/* `n` waits for what names `addr` in a conflicting way; `join`: and later ones for it. */
static void depend_on(struct tn_member *m, struct tn_task_deps *d, struct tn_task_node *n, void *addr, enum kind kind,
                      bool join)
{
    struct entry *e = entry_of(m, d, addr);
    bool same_set = kind != KIND_OUT && e->last.kind == kind;
    wait_for_set(m, n, same_set ? &e->before : &e->last);
    if (!join)
        return;
    if (!same_set) {
        struct set reuse = e->before;
        set_clear(m->team, m, &reuse);
        e->before = e->last;
        e->last = reuse;
        e->last.kind = kind;
    }
    set_add(m, &e->last, n);
}

static void depend_on_all(struct tn_member *m, struct tn_task_deps *d, struct tn_task_node *n, bool join)
{
    for (unsigned i = 0; i < d->cap; i++)
        wait_for_set(m, n, &d->entry[i].last);
    if (d->all)
        wait_for(m, n, d->all);
    if (!join)
        return;
    for (unsigned i = 0; i < d->cap; i++)
        if (d->entry[i].used)
            entry_clear(m->team, m, &d->entry[i]);
    d->used = 0;
    if (d->all)
        unref(m->team, m, d->all);
    d->all = n;
    atomic_fetch_add_explicit(&n->refs, 1, memory_order_relaxed);
}

static void enter_all(struct tn_member *m, struct tn_task_deps *d, struct tn_task_node *n, void **depend, bool join)
{
    size_t count = depend_count(depend);
    for (size_t i = 0; i < count; i++) {
        enum kind kind;
        void *addr = depend_get(depend, i, &kind);
        if (addr || kind != KIND_OUT)
            depend_on(m, d, n, addr, kind, join);
        else
            depend_on_all(m, d, n, join);
    }
}

bool tn_task_deps_enter(struct tn_member *m, struct tn_task *parent, struct tn_task_x *x, void **depend)
{
    if (!parent->deps) {
        parent->deps = calloc(1, sizeof *parent->deps);
        if (!parent->deps)
            tn_fatal("out of memory for task dependences (%zu bytes)", sizeof *parent->deps);
    }
    struct tn_task_node *n = x->node = node_make(m, x, NULL);
    enter_all(m, parent->deps, n, depend, true);
    return atomic_fetch_sub_explicit(&n->wait, 1, memory_order_acq_rel) != 1;
}

void tn_task_deps_done(struct tn_team *team, struct tn_member *m, struct tn_task_x *x)
{
    struct link *next, *l = atomic_exchange_explicit(&x->node->succ, CLOSED, memory_order_acq_rel);
    for (; l; l = next) {
        struct tn_task_node *n = l->node;
        struct tn_task_x *task = n->task; /* before the count: then the node, and the link in it, may be gone */
        struct tn_thread *waiter = n->waiter;
        next = l->next;
        if (atomic_fetch_sub_explicit(&n->wait, 1, memory_order_acq_rel) != 1)
            continue;
        if (task)
            tn_task_enqueue(team, m, task);
        else
            tn_unpark(waiter);
    }
    unref(team, m, x->node);
}

bool tn_task_node_ready(struct tn_task_node *node)
{
    return tn_load_acq(&node->wait) == 0;
}

/* Waiting --------------------------------------------------------------------------------------------------------- */

void tn_task_wait_depend(struct tn_thread *me, void **depend)
{
    struct tn_task_deps *d = me->task->deps;
    if (!d)
        return;
    struct tn_member *m = me->cur;
    struct tn_task_node *n = node_make(m, NULL, me);
    enter_all(m, d, n, depend, false);
    atomic_fetch_sub_explicit(&n->wait, 1, memory_order_acq_rel);
    const struct tn_task_until until = {.node = n};
    tn_task_await(me, &until);
    unref(m->team, m, n);
}

void tn_task_wait_depend_nowait(struct tn_thread *me, void **depend)
{
    const struct tn_task_spec nothing = {.depend = depend, .if_ = true, .align = 1};
    tn_task_create(me, &nothing);
}
