/* SPDX-License-Identifier: MIT */
/* Names of the user API that libgomp 12 lacks, Fortran forms with 64-bit integers, and tenure.h's queries. On the shared
 * object, as a program finds it. The rest is in tests/conform/api_*.c. */
#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

#include "omp_abi.h"
#include "tenure.h"

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n, unsigned flags);
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, _Bool if_clause,
               unsigned flags, void **depend, int priority, void *detach);
_Bool GOMP_loop_ull_dynamic_start(_Bool up, unsigned long long start, unsigned long long end, unsigned long long incr,
                                  unsigned long long chunk, unsigned long long *istart, unsigned long long *iend);
void GOMP_loop_end_nowait(void);
_Bool GOMP_teams4(unsigned low, unsigned high, unsigned limit, _Bool first);
void *GOMP_target_map_indirect_ptr(void *ptr);
void GOMP_interop(int device, int n_init, void ***init, const void *sync, const void *prefer, int n_use, void **use,
                  int n_destroy, void ***destroy, unsigned flags, void **depend);
void omp_set_num_threads_8_(const int64_t *);
void omp_set_schedule_8_(const int32_t *, const int64_t *);
void omp_get_schedule_8_(int32_t *, int64_t *);
void omp_get_schedule_(int32_t *, int32_t *);
int omp_get_ancestor_thread_num_8_(const int64_t *);
int omp_in_explicit_task_(void);
void omp_get_uid_from_device_(const char **, size_t *, const int32_t *);
int omp_get_device_from_uid_(const char *, size_t);

Test(api, fortran_with_long_integers)
{
    omp_set_num_threads_8_(&(int64_t){3});
    cr_expect_eq(omp_get_max_threads(), 3);
    omp_set_num_threads_8_(&(int64_t){INT64_MIN});
    cr_expect_eq(omp_get_max_threads(), 1);
    int32_t kind;
    int64_t chunk;
    omp_set_schedule_8_(&(int32_t){2}, &(int64_t){INT64_MAX});
    omp_get_schedule_8_(&kind, &chunk);
    cr_expect(kind == 2 && chunk == INT_MAX);
    omp_set_schedule_8_(&(int32_t){(int32_t)0x80000001}, &(int64_t){4});
    omp_get_schedule_8_(&kind, &chunk);
    cr_expect(kind == 1 && chunk == 4, "omp_lib has no modifiers");
    int32_t small;
    omp_get_schedule_(&kind, &small);
    cr_expect(kind == 1 && small == 4);
    cr_expect_eq(omp_get_ancestor_thread_num_8_(&(int64_t){1LL << 32}), -1, "not level 0");
}

static void in_task(void *arg) { **(int **)arg = omp_in_explicit_task() + omp_in_explicit_task_(); }

static void region(void *arg)
{
    int *seen = arg;
    if (omp_get_thread_num() == 0) {
        int *to = &seen[1];
        seen[0] = omp_in_explicit_task();
        GOMP_task(in_task, &to, NULL, sizeof to, sizeof to, 0, 0, NULL, 0, NULL);
    }
}

Test(api, explicit_task)
{
    int seen[2] = {-1, -1};
    GOMP_parallel(region, seen, 2, 0);
    cr_expect_eq(seen[0], 0);
    cr_expect_eq(seen[1], 2);
    cr_expect_eq(omp_in_explicit_task(), 0);
}

Test(api, host_as_a_device)
{
    int x = 1, y = 2;
    cr_expect_eq(omp_get_mapped_ptr(&x, omp_get_initial_device()), &x);
    cr_expect_eq(omp_target_is_accessible(&x, sizeof x, TN_OMP_INITIAL_DEVICE), 1);
    cr_expect_null(omp_get_mapped_ptr(&x, 77));
    cr_expect_eq(omp_target_memcpy_async(&x, &y, sizeof x, 0, 0, 0, 0, 0, NULL), 0);
    cr_expect_eq(x, 2);
    omp_target_memset(&x, 0, sizeof x, 0);
    cr_expect_eq(x, 0);
    cr_expect_eq(GOMP_target_map_indirect_ptr(&x), &x);
}

Test(api, identity_and_interop)
{
    const char *uid = omp_get_uid_from_device(omp_get_initial_device()), *text;
    size_t length;
    char padded[64];
    cr_assert_not_null(uid);
    cr_expect_eq(omp_get_device_from_uid(uid), omp_get_initial_device());
    cr_expect_eq(omp_get_device_from_uid("none such"), TN_OMP_INVALID_DEVICE);
    omp_get_uid_from_device_(&text, &length, &(int32_t){0});
    cr_expect(length == strlen(uid) && memcmp(text, uid, length) == 0);
    memset(padded, ' ', sizeof padded);
    memcpy(padded, uid, strlen(uid));
    cr_expect_eq(omp_get_device_from_uid_(padded, sizeof padded), omp_get_initial_device());

    void *interop = &padded, **objects[] = {&interop};
    GOMP_interop(-1, 1, objects, NULL, NULL, 0, NULL, 0, NULL, 0, NULL);
    cr_expect_null(interop);
    int rc = 0;
    cr_expect_eq(omp_get_interop_int(interop, -5, &rc), 0);
    cr_expect_eq(rc, -1, "empty");
    omp_get_interop_ptr(interop, 5, &rc);
    cr_expect_eq(rc, -2, "out of range");
    cr_expect_str_eq(omp_get_interop_name(interop, -1), "fr_id");
    cr_expect_str_eq(omp_get_interop_name(interop, -9), "targetsync");
    cr_expect_null(omp_get_interop_name(interop, 0));
    cr_expect_str_eq(omp_get_interop_rc_desc(interop, 0), "successful");
    cr_expect_null(omp_get_interop_rc_desc(interop, -7));
}

Test(api, league_inside_target)
{
    int teams = 0;
    for (_Bool more = GOMP_teams4(2, 5, 3, 1); more; more = GOMP_teams4(2, 5, 3, 0)) {
        cr_expect_eq(omp_get_team_num(), teams++);
        cr_expect_eq(omp_get_num_teams(), 5);
        cr_expect_eq(omp_get_thread_limit(), 3);
    }
    cr_expect_eq(teams, 5);
}

Test(api, league_limits_that_are_negative_change_nothing)
{
    omp_set_num_teams(4);
    omp_set_teams_thread_limit(3);
    omp_set_num_teams(-1);
    omp_set_teams_thread_limit(INT_MIN);
    cr_expect(omp_get_max_teams() == 4 && omp_get_teams_thread_limit() == 3);
    omp_set_num_teams(0);
    omp_set_teams_thread_limit(0);
    cr_expect(omp_get_max_teams() == 0 && omp_get_teams_thread_limit() == 0, "0: none set");
}

/* GCC's code fills in the low 8 bits of a bool argument and leaves the rest of the register as it was. Clang takes a
 * parameter declared bool for extended to 32 bits. */
enum { NO = 0x5100, YES = 0x5101 };

Test(api, bool_arguments_have_eight_bits)
{
    bool (*ull_start)(unsigned, unsigned long long, unsigned long long, unsigned long long, unsigned long long, unsigned long long *,
                      unsigned long long *) = (void *)GOMP_loop_ull_dynamic_start;
    bool (*teams4)(unsigned, unsigned, unsigned, unsigned) = (void *)GOMP_teams4;
    unsigned long long lo, hi;
    int teams = 0;

    cr_expect(ull_start(YES, 3, 9, 2, 100, &lo, &hi) && lo == 3 && hi == 9, "up");
    GOMP_loop_end_nowait();
    cr_expect(ull_start(NO, 9, 3, -2ull, 100, &lo, &hi) && lo == 9 && hi == 3, "down");
    GOMP_loop_end_nowait();
    for (bool more = teams4(2, 5, 3, YES); more && teams < 9; more = teams4(2, 5, 3, NO))
        teams++;
    cr_expect_eq(teams, 5);
}

Test(api, presence)
{
    unsigned before = tenure_spawned_workers();
    int seen[2];
    cr_expect_eq(tenure_is_active(), 1);
    cr_expect_eq(tenure_spawned_workers(), before, "asking starts nothing");
    GOMP_parallel(region, seen, 4, 0);
    cr_expect_eq(tenure_spawned_workers(), before + 3);
    cr_expect_geq(tenure_alive_workers(), 3);
    cr_expect_str_neq(tenure_version(), "");
}
