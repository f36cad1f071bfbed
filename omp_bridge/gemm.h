/* SPDX-License-Identifier: MIT */
/* int8 products, as the other modules see them; the public side is tenure.h. */
#ifndef TN_GEMM_H
#define TN_GEMM_H

#include "base.h"

extern _Atomic bool tn_gemm_used; /* the process has made an int8 call. Set once, read by new workers */

/* A worker begins: where the process uses int8, it pays now for state that the kernel makes at a thread's first use. */
void tn_gemm_worker_start(void);

#endif
