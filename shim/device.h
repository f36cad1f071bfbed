/* SPDX-License-Identifier: MIT */
/* What the device entries share: gomp_target.c has the constructs, omp_device.c the routines. */
#ifndef TN_DEVICE_H
#define TN_DEVICE_H

#include <stdbool.h>

enum { TN_OFFLOAD_MANDATORY = 1 }; /* tn_global.target_offload */

/* A device of the real libgomp's (real.h). Else, where OMP_TARGET_OFFLOAD forbids to do without, the program ends. */
bool tn_device_exists(int device);
/* Wait for the tasks that `n` depend objects (omp_depend_t[n]) name. */
void tn_device_wait_depobjs(int n, void *depobjs);

#endif
