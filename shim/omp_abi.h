/* SPDX-License-Identifier: MIT */
/* The user API of OpenMP as GCC's omp.h lays it down (types by their ABI: enums are int or uintptr_t), up to GCC 15. No
 * omp.h is included anywhere in the library: the build compiler need not have one, and these are definitions for
 * programs of every GCC. Fortran forms that are not a plain copy of the C form are in omp_fortran.c. */
#ifndef TN_OMP_ABI_H
#define TN_OMP_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"

typedef struct { int key; uintptr_t value; } tn_omp_alloctrait; /* omp_alloctrait_t */

enum { TN_OMP_INVALID_DEVICE = -4, TN_OMP_INITIAL_DEVICE = -1 }; /* newer omp.h; GCC 12 knows only >= 0 */

#pragma GCC visibility push(default)

/* omp_api.c */
void omp_set_num_threads(int n);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
int omp_in_final(void);
int omp_in_explicit_task(void);
void omp_set_dynamic(int on);
int omp_get_dynamic(void);
void omp_set_nested(int on);
int omp_get_nested(void);
void omp_set_schedule(unsigned kind, int chunk);
void omp_get_schedule(unsigned *kind, int *chunk);
int omp_get_thread_limit(void);
void omp_set_max_active_levels(int n);
int omp_get_max_active_levels(void);
int omp_get_supported_active_levels(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
int omp_get_cancellation(void);
int omp_get_max_task_priority(void);
double omp_get_wtime(void);
double omp_get_wtick(void);
int omp_get_num_teams(void);
int omp_get_team_num(void);
void omp_set_num_teams(int n);
int omp_get_max_teams(void);
void omp_set_teams_thread_limit(int n);
int omp_get_teams_thread_limit(void);
int omp_pause_resource(int kind, int device);
int omp_pause_resource_all(int kind);

/* omp_alloc.c */
uintptr_t omp_init_allocator(uintptr_t space, int n, const tn_omp_alloctrait *traits);
void omp_destroy_allocator(uintptr_t allocator);
void omp_set_default_allocator(uintptr_t allocator);
uintptr_t omp_get_default_allocator(void);
void *omp_alloc(size_t size, uintptr_t allocator);
void *omp_aligned_alloc(size_t align, size_t size, uintptr_t allocator);
void *omp_calloc(size_t n, size_t size, uintptr_t allocator);
void *omp_aligned_calloc(size_t align, size_t n, size_t size, uintptr_t allocator);
void *omp_realloc(void *ptr, size_t size, uintptr_t allocator, uintptr_t free_allocator);
void omp_free(void *ptr, uintptr_t allocator);
void *GOMP_alloc(size_t align, size_t size, uintptr_t allocator);
void GOMP_free(void *ptr, uintptr_t allocator);
void GOMP_add_alloc(void *ptr);
int GOMP_is_alloc(void *ptr);

/* omp_device.c */
void omp_set_default_device(int device);
int omp_get_default_device(void);
int omp_get_num_devices(void);
int omp_get_initial_device(void);
int omp_get_device_num(void);
int omp_is_initial_device(void);
void *omp_target_alloc(size_t size, int device);
void omp_target_free(void *ptr, int device);
int omp_target_is_present(const void *ptr, int device);
int omp_target_is_accessible(const void *ptr, size_t size, int device);
void *omp_get_mapped_ptr(const void *ptr, int device);
int omp_target_memcpy(void *dst, const void *src, size_t length, size_t dst_off, size_t src_off, int dst_dev, int src_dev);
int omp_target_memcpy_async(void *dst, const void *src, size_t length, size_t dst_off, size_t src_off, int dst_dev,
                            int src_dev, int deps, void *dep);
int omp_target_memcpy_rect(void *dst, const void *src, size_t element, int dims, const size_t *volume,
                           const size_t *dst_off, const size_t *src_off, const size_t *dst_dim, const size_t *src_dim,
                           int dst_dev, int src_dev);
int omp_target_memcpy_rect_async(void *dst, const void *src, size_t element, int dims, const size_t *volume,
                                 const size_t *dst_off, const size_t *src_off, const size_t *dst_dim,
                                 const size_t *src_dim, int dst_dev, int src_dev, int deps, void *dep);
void *omp_target_memset(void *ptr, int value, size_t size, int device);
void *omp_target_memset_async(void *ptr, int value, size_t size, int device, int deps, void *dep);
int omp_target_associate_ptr(const void *host, const void *dev, size_t size, size_t off, int device);
int omp_target_disassociate_ptr(const void *ptr, int device);
int omp_get_device_from_uid(const char *uid);
const char *omp_get_uid_from_device(int device);
int omp_get_num_interop_properties(const void *interop);
intptr_t omp_get_interop_int(const void *interop, int property, int *ret);
void *omp_get_interop_ptr(const void *interop, int property, int *ret);
const char *omp_get_interop_str(const void *interop, int property, int *ret);
const char *omp_get_interop_name(const void *interop, int property);
const char *omp_get_interop_type_desc(const void *interop, int property);
const char *omp_get_interop_rc_desc(const void *interop, int code);

#pragma GCC visibility pop
#endif
