/* SPDX-License-Identifier: MIT */
/* Worker threads: starting one, its life in the dock, ending it. Who hands it out is crew.h's business. */
#ifndef TN_WORKER_H
#define TN_WORKER_H

#include "thread.h"

/* Starts a worker, docked. 0 or the error of pthread_create. */
int tn_worker_spawn(struct tn_thread **out);
/* Tells a docked worker to end; and waits until it has, then frees its record. */
void tn_worker_dismiss(struct tn_thread *w);
void tn_worker_join(struct tn_thread *w);
/* Which limit stands behind a failed start, for a message. */
void tn_worker_limit(char *out, size_t size, int err);
void tn_worker_fork_child(void);

#endif
