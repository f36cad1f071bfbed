/* SPDX-License-Identifier: MIT */
/* Tasks: PLACEHOLDER contents, the task author fills this in. */
#ifndef TN_TASK_H
#define TN_TASK_H

#include "base.h"
#include "icv.h"

struct tn_thread;
struct tn_team;
struct tn_member;
struct tn_task;

/* What other modules rely on; the rest belongs to task.c. */
struct tn_task {
    struct tn_icv *icv;     /* data environment; never NULL once running */
    bool icv_own;           /* no other task can see the block: tn_icv_write may change it in place */
    bool final;             /* omp_in_final() */
    bool explicit_;         /* omp_in_explicit_task() */
    struct tn_task *parent;
};
struct tn_task_member { int unused; };
struct tn_task_team { int unused; };

#endif
