/* SPDX-License-Identifier: MIT */
/* Sessions, as the other modules see them. (The public side is tenure.h.) */
#ifndef TN_SESSION_H
#define TN_SESSION_H

#include "thread.h"

/* The thread ends with sessions open: close them. */
void tn_session_thread_end(struct tn_thread *me);
/* Child of fork: handles of the parent answer -ECHILD. */
void tn_session_fork_child(void);

#endif
