/* SPDX-License-Identifier: MIT */
/* Reading the environment: forms of values, what is malformed, what follows from several variables, our own variables.
 * Each test is a process of its own and reads once. Against libgomp: check_env.sh. */
#include <criterion/criterion.h>
#include <string.h>

#include "env.h"
#include "icv.h"
#include "places.h"
#include "topo.h"

#define READ(...) tn_env_read((char *[]){__VA_ARGS__, NULL}, true)
static const struct tn_icv *icv = &tn_global.icv;

Test(env, nothing_set)
{
    READ("PATH=/bin", "OMP", "OMP_=1", "OMP_NUM_THREADSX=9", "TENURE_=2");
    cr_expect(icv->nthreads >= 1 && icv->nthreads <= tn_global.procs);
    cr_expect(!tn_global.nthreads_set && !icv->dyn && icv->bind == TN_BIND_FALSE);
    cr_expect(icv->max_active_levels == 1 && icv->thread_limit == TN_NO_LIMIT);
    cr_expect(icv->run_sched == TN_SCHED_DYNAMIC && icv->run_chunk == 1);
    cr_expect_str_eq(tn_global.affinity_format, "level %L thread %i affinity %A");
    cr_expect_eq(tn_places_len, 0);
}

Test(env, lists)
{
    READ("OMP_NUM_THREADS= 4 ,3, 2", "OMP_PROC_BIND=spread , primary");
    cr_expect(icv->nthreads == 4 && tn_global.nthreads_list_len == 3);
    cr_expect(tn_global.nthreads_list[1] == 3 && tn_global.nthreads_list[2] == 2);
    cr_expect(icv->bind == TN_BIND_SPREAD && tn_global.bind_list_len == 2 && tn_global.bind_list[1] == TN_BIND_PRIMARY);
    cr_expect_eq(icv->max_active_levels, TN_LEVELS_MAX);
    cr_expect_eq(tn_places_len, tn_global.procs, "every CPU a place");
}

Test(env, malformed_changes_nothing)
{
    READ("OMP_NUM_THREADS=4,", "OMP_DYNAMIC=truex", "OMP_SCHEDULE=staticx", "OMP_THREAD_LIMIT=0", "OMP_STACKSIZE=-1",
         "OMP_PROC_BIND=true,close", "OMP_PLACES={0", "GOMP_SPINCOUNT=inf", "OMP_MAX_ACTIVE_LEVELS=-1");
    cr_expect(!tn_global.nthreads_set && !icv->dyn && icv->run_sched == TN_SCHED_DYNAMIC);
    cr_expect(icv->thread_limit == TN_NO_LIMIT && tn_global.stacksize == 0 && icv->bind == TN_BIND_FALSE);
    cr_expect(tn_places_len == 0 && !tn_global.spin_set && icv->max_active_levels == 1);
}

Test(env, suffixes)
{
    READ("OMP_NUM_THREADS_ALL=5", "OMP_NUM_THREADS_DEV=6", "OMP_NUM_THREADS_DEV_1=7", "OMP_SCHEDULE_ALL=guided",
         "OMP_SCHEDULE=static,3", "OMP_PLACES_ALL=threads");
    cr_expect_eq(icv->nthreads, 5);
    cr_expect_eq(icv->run_sched, TN_SCHED_STATIC | TN_SCHED_MONOTONIC);
    cr_expect_eq(icv->run_chunk, 3);
    cr_expect_eq(tn_places_len, 0, "OMP_PLACES has no such form");
}

Test(env, the_first_of_a_name_counts)
{
    READ("OMP_NUM_THREADS=3", "OMP_NUM_THREADS=4");
    cr_expect_eq(icv->nthreads, 3);
}

Test(env, stack_sizes)
{
    READ("GOMP_STACKSIZE=2M", "OMP_STACKSIZE=64");
    cr_expect_eq(tn_global.stacksize, 64 * 1024);
}

Test(env, a_stack_too_small_is_not_used)
{
    READ("OMP_STACKSIZE=100b");
    cr_expect_eq(tn_global.stacksize, 0);
}

Test(env, spinning)
{
    READ("OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=1k", "TENURE_SPIN=20us", "TENURE_RESIDENT=5ms", "TENURE_SHARE_IDLE=40");
    cr_expect_eq(tn_global.wait_policy, TN_WAIT_PASSIVE);
    cr_expect(tn_global.spin_set && tn_global.spin_ns == 20000, "ours goes before GOMP_SPINCOUNT");
    cr_expect_eq(tn_global.resident_ns, 5000000);
    cr_expect_eq(tn_global.share_idle_ns, 40000000);
}

Test(env, spinning_for_ever)
{
    READ("GOMP_SPINCOUNT=infinite");
    cr_expect(tn_global.spin_set && tn_global.spin_ns == UINT64_MAX);
}

Test(env, ours)
{
    READ("TENURE_VERBOSE=1", "TENURE_PROFILE=yes", "TENURE_ON_THREAD_FAILURE=shrink");
    cr_expect(tn_global.verbose && tn_global.profile && tn_global.on_failure == TN_FAIL_SHRINK);
}

Test(env, ours_malformed)
{
    READ("TENURE_VERBOSE=perhaps", "TENURE_SPIN=-5", "TENURE_SPIN=", "TENURE_ON_THREAD_FAILURE=cry", "TENURE_SHARE_IDLE=5 hours");
    cr_expect(!tn_global.verbose && !tn_global.spin_set && tn_global.on_failure == TN_FAIL_STOP && tn_global.share_idle_ns == 0);
}

static void places(const char *value, const char *want)
{
    char text[256];
    tn_topo_start();
    tn_places_clear();
    bool ok = tn_env_places(value);
    struct tn_buf b = tn_buf_init(text, sizeof text);
    tn_env_places_print(&b);
    cr_expect_str_eq(text, want ? want : "", "%s", value);
    cr_expect_eq(ok, want != NULL, "%s", value);
}

Test(env, places)
{
    size_t size;
    tn_topo_start();
    const cpu_set_t *allowed = tn_topo_allowed(&size);
    if (!CPU_ISSET_S(0, size, allowed) || !CPU_ISSET_S(1, size, allowed))
        cr_skip_test("needs CPUs 0 and 1");
    tn_env_read(NULL, true);
    places("{0},{1}", "{0},{1}");
    places("{0}:2", "{0},{1}");
    places("{1}:2:-1", "{1},{0}");
    places("{0:2}:1,{1}", "{0:2},{1}");
    places("{0:2,!0}", "{1}");
    places("{0},{1},{0},!{0}", "{1},{0}");
    places(" { 0 , 1 } ", "{0:2}");
    places("0,1", "{0},{1}");
    places("threads(1)", "{0}");
    places("{0},", NULL);
    places("{0}:0", NULL);
    places("{0},!{1}", NULL);
    places("{0},!{0}", NULL);
    places("{-1}", NULL);
    places("{0}:2:-1", NULL);
    places("threads(1", NULL);
    places("rooms", NULL);
    places("", NULL);
}

Test(env, cpu_lists)
{
    tn_topo_start();
    cr_expect(tn_env_cpu_list("0-4:2 0x1,0", true) && tn_places_len == 5);
    tn_places_clear();
    cr_expect(tn_env_cpu_list("3", false) && tn_places_len == 0, "only looked at");
    cr_expect(!tn_env_cpu_list("1-0", true) && !tn_env_cpu_list("0,", true) && !tn_env_cpu_list("0 x", true) &&
              !tn_env_cpu_list("0-3:0", true) && !tn_env_cpu_list("", true));
    cr_expect_eq(tn_places_len, 0);
}
