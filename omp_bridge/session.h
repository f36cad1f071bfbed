/* SPDX-License-Identifier: MIT */
/* Sessions, as the other modules see them; the public side, with the thread rules, is tenure.h. */
#ifndef TN_SESSION_H
#define TN_SESSION_H

#include "host_pool.h"
#include "tenure.h"
#include "thread.h"

/* The open session behind a handle, if the calling thread may use it; else NULL and *err = -EINVAL, -EPERM or -ECHILD. */
struct tn_session *tn_session_find(tenure_session s, int *err);
unsigned tn_session_width(const struct tn_session *s);
struct tn_host_pool *tn_session_host_pool(struct tn_session *s);
/* fn(arg) on each member, as a region of the session's width. */
void tn_session_region(struct tn_session *s, void (*fn)(void *), void *arg);

/* The thread ends with sessions open: close them. */
void tn_session_thread_end(struct tn_thread *me);
/* Child of fork: handles of the parent answer -ECHILD. */
void tn_session_fork_child(void);

#endif
