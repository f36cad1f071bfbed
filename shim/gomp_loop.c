/* SPDX-License-Identifier: MIT */
/* Entries of loops: the template once for `long` and once for `unsigned long long`. Any thread; outside a region the
 * calling thread is a team of one. Invariant: a loop's state is in the member's record from its start entry on, so all next
 * entries of a type are one function. */
#include "gomp_abi.h"
#include "team.h"

#define STRING(x) STRING_(x)
#define STRING_(x) #x
#define MONOTONIC(kind) (TN_SCHED_MONOTONIC | (kind))

/* Of GOMP_loop_start and its kin. */
static unsigned sched_of(long sched)
{
    unsigned kind = sched & 7;
    return (kind == GOMP_SCHED_NONMONOTONIC_RUNTIME ? TN_WS_RUNTIME : kind) |
           (sched & GOMP_SCHED_MONOTONIC ? TN_SCHED_MONOTONIC : 0);
}

#define TYPE long
#define NAME(x) GOMP_loop_##x
#define START GOMP_LOOP_START
#define RUNTIME GOMP_LOOP_RUNTIME
#define DOACROSS GOMP_LOOP_DOACROSS
#define NEXT GOMP_LOOP_NEXT
#define UP_PARAM
#define TRIP tn_ws_trip_long(start, end, incr)
#include "gomp_loop_tmpl.h"
#undef TYPE
#undef NAME
#undef START
#undef RUNTIME
#undef DOACROSS
#undef NEXT
#undef UP_PARAM
#undef TRIP

#define TYPE tn_ull
#define NAME(x) GOMP_loop_ull_##x
#define START GOMP_LOOP_ULL_START
#define RUNTIME GOMP_LOOP_ULL_RUNTIME
#define DOACROSS GOMP_LOOP_ULL_DOACROSS
#define NEXT GOMP_LOOP_ULL_NEXT
#define UP_PARAM tn_bool_arg up,
#define TRIP tn_ws_trip_ull(tn_bool(up), start, end, incr)
#include "gomp_loop_tmpl.h"
