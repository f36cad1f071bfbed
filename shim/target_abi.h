/* SPDX-License-Identifier: MIT */
/* What GCC's compiled code calls for target, teams and interop, with the constants of its arguments. Each prototype says
 * which GCC began to use it. */
#ifndef TN_TARGET_ABI_H
#define TN_TARGET_ABI_H

#include <stdbool.h>
#include <stddef.h>

enum { TN_DEVICE_ICV = -1, TN_DEVICE_HOST = -2 };    /* device numbers with a meaning of their own */
enum { TN_TARGET_NOWAIT = 1u << 0 };                 /* flags of the _ext entries */
enum { TN_MAP_FIRSTPRIVATE = 12 };                   /* low byte of a kind; above it: log2 of the alignment */
enum { TN_TARGET_ARG_DEVICE = 0x7f, TN_TARGET_ARG_NEXT = 0x80, TN_TARGET_ARG_ID = 0x7f00,
       TN_TARGET_ARG_THREAD_LIMIT = 0x200, TN_TARGET_ARG_SHIFT = 16 };
enum { TN_TEAMS_DEFAULT = 3 };                       /* teams of a host league of which nothing was said, as libgomp */

#pragma GCC visibility push(default)
void GOMP_target(int device, void (*fn)(void *), const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
                 unsigned char *kinds);                                                                       /* 4.9 */
void GOMP_target_data(int device, const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
                      unsigned char *kinds);                                                                  /* 4.9 */
void GOMP_target_end_data(void);                                                                              /* 4.9 */
void GOMP_target_update(int device, const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
                        unsigned char *kinds);                                                                /* 4.9 */
void GOMP_teams(unsigned num_teams, unsigned thread_limit);                                                   /* 4.9 */
void GOMP_target_ext(int device, void (*fn)(void *), size_t mapnum, void **hostaddrs, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args);                      /* 6 */
void GOMP_target_data_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds); /* 6 */
void GOMP_target_update_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds,
                            unsigned flags, void **depend);                                                   /* 6 */
void GOMP_target_enter_exit_data(int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds,
                                 unsigned flags, void **depend);                                              /* 6 */
void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned num_teams, unsigned thread_limit, unsigned flags); /* 9 */
bool GOMP_teams4(unsigned low, unsigned high, unsigned thread_limit, tn_bool_arg first);                      /* 12 */
void *GOMP_target_map_indirect_ptr(void *ptr);                                                                /* 14 */
void GOMP_interop(int device, int n_init, void ***init, const void *sync, const void *prefer, int n_use, void **use,
                  int n_destroy, void ***destroy, unsigned flags, void **depend);                             /* 15 */
#pragma GCC visibility pop
#endif
