/* SPDX-License-Identifier: MIT */
/* Fortran forms of the user API: a trailing underscore, arguments by address; `_8_` where the integers are 64 bits wide
 * (-fdefault-integer-8). One row each; what a name does is in the C routine it calls. Locks, which have two versions, are in
 * omp_lock.c; affinity and display forms, with their strings, beside their C forms. */
#include <limits.h>
#include <string.h>

#include "icv.h"
#include "omp_abi.h"

static int clamp(int64_t v) { return v > INT_MAX ? INT_MAX : v < INT_MIN ? INT_MIN : (int)v; }

#pragma GCC visibility push(default)

/* --- No argument --------------------------------------------------------------------------------------------------- */
#define GET(type, name)     \
    type name##_(void);     \
    type name##_(void) { return name(); }
GET(int, omp_get_num_threads)
GET(int, omp_get_max_threads)
GET(int, omp_get_thread_num)
GET(int, omp_get_num_procs)
GET(int, omp_in_parallel)
GET(int, omp_in_final)
GET(int, omp_in_explicit_task)
GET(int, omp_get_dynamic)
GET(int, omp_get_nested)
GET(int, omp_get_thread_limit)
GET(int, omp_get_max_active_levels)
GET(int, omp_get_supported_active_levels)
GET(int, omp_get_level)
GET(int, omp_get_active_level)
GET(int, omp_get_cancellation)
GET(int, omp_get_max_task_priority)
GET(int, omp_get_num_teams)
GET(int, omp_get_team_num)
GET(int, omp_get_max_teams)
GET(int, omp_get_teams_thread_limit)
GET(int, omp_get_default_device)
GET(int, omp_get_num_devices)
GET(int, omp_get_initial_device)
GET(int, omp_get_device_num)
GET(int, omp_is_initial_device)
GET(double, omp_get_wtime)
GET(double, omp_get_wtick)
GET(uintptr_t, omp_get_default_allocator)

/* --- One integer --------------------------------------------------------------------------------------------------- */
#define SET(name)                       \
    void name##_(const int32_t *);      \
    void name##_8_(const int64_t *);    \
    void name##_(const int32_t *v) { name(*v); } \
    void name##_8_(const int64_t *v) { name(clamp(*v)); }
#define SET_LOGICAL(name)               \
    void name##_(const int32_t *);      \
    void name##_8_(const int64_t *);    \
    void name##_(const int32_t *v) { name(*v); } \
    void name##_8_(const int64_t *v) { name(*v != 0); }
#define ASK(name)                       \
    int name##_(const int32_t *);       \
    int name##_8_(const int64_t *);     \
    int name##_(const int32_t *v) { return name(*v); } \
    int name##_8_(const int64_t *v) { return name(clamp(*v)); }
SET(omp_set_num_threads)
SET(omp_set_max_active_levels)
SET(omp_set_default_device)
SET(omp_set_num_teams)
SET(omp_set_teams_thread_limit)
SET_LOGICAL(omp_set_dynamic)
SET_LOGICAL(omp_set_nested)
ASK(omp_get_ancestor_thread_num)
ASK(omp_get_team_size)

/* --- The others ---------------------------------------------------------------------------------------------------- */
#define FORM(type, name, params, ...) \
    type name params;                 \
    type name params { __VA_ARGS__; }
FORM(void, omp_set_schedule_, (const int32_t *kind, const int32_t *chunk), omp_set_schedule((unsigned)*kind, *chunk))
FORM(void, omp_set_schedule_8_, (const int32_t *kind, const int64_t *chunk),
     omp_set_schedule((unsigned)*kind, clamp(*chunk)))
/* Without omp_sched_monotonic, as from libgomp: programs compare the kind with the four of omp_lib. */
static int schedule_of(int32_t *kind)
{
    unsigned k;
    int chunk;
    omp_get_schedule(&k, &chunk);
    *kind = (int32_t)(k & ~TN_SCHED_MONOTONIC);
    return chunk;
}
FORM(void, omp_get_schedule_, (int32_t * kind, int32_t *chunk), *chunk = schedule_of(kind))
FORM(void, omp_get_schedule_8_, (int32_t * kind, int64_t *chunk), *chunk = schedule_of(kind))
FORM(int, omp_pause_resource_, (const int32_t *kind, const int32_t *device), return omp_pause_resource(*kind, *device))
FORM(int, omp_pause_resource_all_, (const int32_t *kind), return omp_pause_resource_all(*kind))
FORM(uintptr_t, omp_init_allocator_, (const intptr_t *space, const int32_t *n, const tn_omp_alloctrait *traits),
     return omp_init_allocator((uintptr_t)*space, *n, traits))
FORM(uintptr_t, omp_init_allocator_8_, (const intptr_t *space, const int64_t *n, const tn_omp_alloctrait *traits),
     return omp_init_allocator((uintptr_t)*space, clamp(*n), traits))
FORM(void, omp_destroy_allocator_, (const intptr_t *allocator), omp_destroy_allocator((uintptr_t)*allocator))
FORM(void, omp_set_default_allocator_, (const intptr_t *allocator), omp_set_default_allocator((uintptr_t)*allocator))

/* Functions that return a string pointer (`character(:), pointer`): address and length come back through the first two
 * arguments; the values are passed by value. */
#define STRING(name, params, ...)                             \
    void name(const char **result, size_t *length, params);   \
    void name(const char **result, size_t *length, params)    \
    {                                                         \
        *result = __VA_ARGS__;                                \
        *length = *result ? strlen(*result) : 0;              \
    }
#define P(...) __VA_ARGS__
STRING(omp_get_interop_str_, P(intptr_t interop, int32_t property, int32_t *ret),
       omp_get_interop_str((void *)interop, property, ret))
STRING(omp_get_interop_name_, P(intptr_t interop, int32_t property), omp_get_interop_name((void *)interop, property))
STRING(omp_get_interop_type_desc_, P(intptr_t interop, int32_t property),
       omp_get_interop_type_desc((void *)interop, property))
STRING(omp_get_interop_rc_desc_, P(intptr_t interop, int32_t code), omp_get_interop_rc_desc((void *)interop, code))
STRING(omp_get_uid_from_device_, P(const int32_t *device), omp_get_uid_from_device(*device))
STRING(omp_get_uid_from_device_8_, P(const int64_t *device), omp_get_uid_from_device(clamp(*device)))

int omp_get_device_from_uid_(const char *uid, size_t length);
int omp_get_device_from_uid_(const char *uid, size_t length) /* not terminated, blanks at the end do not count */
{
    char text[256];
    while (length > 0 && uid[length - 1] == ' ')
        length--;
    if (length >= sizeof text)
        return TN_OMP_INVALID_DEVICE;
    memcpy(text, uid, length);
    text[length] = '\0';
    return omp_get_device_from_uid(text);
}
#pragma GCC visibility pop
