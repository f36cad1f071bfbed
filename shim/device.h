/* SPDX-License-Identifier: MIT */
/* What the device entries share: gomp_target.c has the constructs, omp_device.c the routines. */
#ifndef TN_DEVICE_H
#define TN_DEVICE_H

/* Wait for the tasks that `n` depend objects (omp_depend_t[n]) name. */
void tn_device_wait_depobjs(int n, void *depobjs);

#endif
