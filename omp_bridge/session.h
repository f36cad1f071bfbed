/* SPDX-License-Identifier: MIT */
/* Sessions, as the other modules see them; the public side, with the thread rules, is tenure.h.
 * A session's object belongs to the thread that opened it. Only `id`, `owner` and `depth` are read by others. */
#ifndef TN_SESSION_H
#define TN_SESSION_H

#include "host_pool.h"
#include "tenure.h"
#include "thread.h"

struct tn_session {
    _Atomic uint64_t id;               /* of the open handle; 0: closed. Written by the owner */
    _Atomic(struct tn_thread *) owner; /* who may use it; NULL: its thread has ended */
    unsigned depth;                    /* tn_fork_depth() when opened */
    uint32_t generation, index;
    unsigned opens, width;
    struct tn_session *outer; /* session that was innermost before; or next in a list of closed ones */
    struct tn_crew *crew;     /* NULL at width 1 */
    struct tn_team *team;
    uint64_t lease_ns;
    struct tn_task *task;     /* that opened it, and what it had: */
    struct tn_icv *icv_before;
    bool icv_own_before;
    uint64_t icv_base;        /* id of the block `icv` was made from */
    struct tn_icv icv;
    struct tn_host_pool pool;
    uint32_t seq_at_open;
    uint64_t calls, sleeps_at_open, wakes_at_open;
    uint64_t build_ns, acquire_ns, call_ns, release_ns;
};

/* --- session_handle.c: objects are never freed, so that a stale handle can be told */

/* The open session behind a handle, if the calling thread may use it; else NULL and *err = -EINVAL, -EPERM or -ECHILD. */
struct tn_session *tn_session_find(tenure_session s, int *err);
/* A closed object; NULL: a million of them are open, or there is no memory. */
struct tn_session *tn_session_object_get(void);
/* Objects of a thread that ends, linked by `outer`: for other threads. */
void tn_session_objects_put(struct tn_session *list);
/* Makes the object's next handle, valid from now on. */
tenure_session tn_session_name(struct tn_session *s, struct tn_thread *owner);
void tn_session_handle_fork_child(void);

/* --- session.c */

/* fn(arg) on each member, as a region of the session's width. */
void tn_session_region(struct tn_session *s, void (*fn)(void *), void *arg);
/* The thread ends with sessions open: close them. */
void tn_session_thread_end(struct tn_thread *me);
/* Child of fork, while the forking thread still has its record: handles of the parent answer -ECHILD. */
void tn_session_fork_child(void);

#endif
