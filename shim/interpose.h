/* SPDX-License-Identifier: MIT */
/* Names of the C library that we stand in front of: interpose.c. */
#ifndef TN_INTERPOSE_H
#define TN_INTERPOSE_H

/* Looks the C library's functions up now, so that no child of vfork has to. Once, when OpenMP is first used. */
void tn_interpose_start(void);

#endif
