/* SPDX-License-Identifier: MIT */
/* Handles of sessions and the objects behind them: handle = generation << 20 | index, checked on every use. Objects live
 * in chunks that are never freed; those of threads that ended serve other threads. Any thread may ask for any handle. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fork.h"
#include "lock.h"
#include "session.h"

#define INDEX_BITS 20
#define INDEX_MAX (1u << INDEX_BITS)
#define CHUNK 256

/* Chunks are read without the lock: a pointer once stored never changes. */
static _Atomic(struct tn_session *) table[INDEX_MAX / CHUNK];
static struct {
    struct tn_lock lock;
    struct tn_session *unowned; /* linked by `outer` */
    unsigned len;               /* objects made so far */
} all;

struct tn_session *tn_session_find(tenure_session h, int *err)
{
    *err = -EINVAL;
    uint32_t index = (uint32_t)(h.id & (INDEX_MAX - 1));
    struct tn_session *s = tn_load_acq(&table[index / CHUNK]);
    if (!s || h.id < INDEX_MAX)
        return NULL;
    s += index % CHUNK;
    if (tn_load_acq(&s->id) != h.id) /* pairs with tn_session_name: depth and owner are those of this handle */
        return NULL;
    if (s->depth != tn_fork_depth()) {
        *err = -ECHILD;
        return NULL;
    }
    if (tn_load(&s->owner) != tn_self()) {
        *err = -EPERM;
        return NULL;
    }
    return s;
}

static struct tn_session *object_make(void)
{
    if (all.len == INDEX_MAX)
        return NULL;
    _Atomic(struct tn_session *) *chunk = &table[all.len / CHUNK];
    if (!tn_load(chunk))
        tn_store_rel(chunk, calloc(CHUNK, sizeof(struct tn_session))); /* pairs with tn_session_find */
    struct tn_session *s = tn_load(chunk);
    if (!s)
        return NULL;
    s += all.len % CHUNK;
    s->index = all.len++;
    return s;
}

struct tn_session *tn_session_object_get(void)
{
    tn_lock_acquire(&all.lock);
    struct tn_session *s = all.unowned;
    if (s)
        all.unowned = s->outer;
    else
        s = object_make();
    tn_lock_release(&all.lock);
    return s;
}

void tn_session_objects_put(struct tn_session *list)
{
    if (!list)
        return;
    struct tn_session *last = list;
    for (struct tn_session *s = list; s; last = s, s = s->outer)
        tn_store(&s->owner, NULL);
    tn_lock_acquire(&all.lock);
    last->outer = all.unowned;
    all.unowned = list;
    tn_lock_release(&all.lock);
}

tenure_session tn_session_name(struct tn_session *s, struct tn_thread *owner)
{
    s->depth = tn_fork_depth();
    tn_store(&s->owner, owner);
    s->generation += s->generation == UINT32_MAX ? 2 : 1; /* never 0: no handle is below INDEX_MAX */
    tenure_session h = {(uint64_t)s->generation << INDEX_BITS | s->index};
    tn_store_rel(&s->id, h.id);
    return h;
}

/* The list may have been caught half written. What it held is lost to this process: a few objects. */
void tn_session_handle_fork_child(void)
{
    memset(&all.lock, 0, sizeof all.lock);
    all.unowned = NULL;
}
