/* SPDX-License-Identifier: MIT */
/* The bridge to an OpenBLAS with threads of its own (pthreads build) that can be given a threading callback. The OpenMP
 * build needs none: its regions come to us like everybody's. Any thread. */
#ifndef TN_BLAS_H
#define TN_BLAS_H

/* A session with workers opens, closes: while one is open, such an OpenBLAS runs its jobs as our regions. */
void tn_blas_open(void);
void tn_blas_close(void);
void tn_blas_fork_child(void);

#endif
