/* SPDX-License-Identifier: MIT */
/* What display.c has for the other files of shim/. */
#ifndef TN_DISPLAY_H
#define TN_DISPLAY_H

struct tn_member;
struct tn_thread;

/* The line of OMP_DISPLAY_AFFINITY for thread `t` serving as `m`, in the format that is set. */
void tn_display_member(const struct tn_member *m, const struct tn_thread *t);

#endif
