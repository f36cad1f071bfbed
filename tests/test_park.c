/* SPDX-License-Identifier: MIT */
/* How long an idle worker stays awake under a lease, with and without others who want its processor; what it makes of a yield that
 * took a time slice, its own or by the cgroup's quota (sched_yield is ours here, and takes what the test says). Times are bounds that hold on
 * any machine: the least of several tries for what must not be cut short; what others on the machine may cut short is tried until
 * they have not, and would be for ever if it never held. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "crew.h"
#include "park.h"
#include "team.h"
#include "tenure.h"
#include "thread.h"
#include "topo.h"

enum { TRIES = 20 };
#define BEYOND_NS (TENURE_LEASE_DEFAULT_NS + 1000000) /* asked for in so many words */

static struct tn_crew crew = {.inner = &tn_crew_none};
static struct tn_team team = {.width = 2, .crew = &crew, .active_level = 1};
static struct tn_member member = {.team = &team, .num = 1};
static struct tn_thread worker = {.cur = &member};

/* How long one wait stays awake. */
static uint64_t awake_ns(uint64_t lease_ns, bool contended)
{
    struct tn_wait w = {.idle = true, .contended = contended, .polls = TN_POLLS};
    tn_global_need();
    tn_store(&crew.lease_ns, lease_ns);
    worker.lost_until = 0; /* what the last try met */
    const uint64_t t0 = tn_now_ns();
    while (tn_wait_step_slow(&w, &worker))
        continue;
    return tn_now_ns() - t0;
}

static uint64_t least_ns(uint64_t lease_ns)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t ns = awake_ns(lease_ns, true);
        least = ns < least ? ns : least;
    }
    return least;
}

Test(lease, holds_where_nobody_else_wants_the_processor, .timeout = 60)
{
    while (awake_ns(TENURE_LEASE_DEFAULT_NS, false) < TENURE_LEASE_DEFAULT_NS)
        continue;
}

Test(lease, of_the_default_length_gives_way, .timeout = 60)
{
    while (awake_ns(TENURE_LEASE_DEFAULT_NS, true) >= TENURE_LEASE_DEFAULT_NS)
        continue;
}

Test(lease, longer_than_the_default_holds)
{
    cr_expect_geq(least_ns(BEYOND_NS), BEYOND_NS);
}

Test(lease, by_TENURE_RESIDENT_is_the_same, .timeout = 60)
{
    tn_global_need();
    tn_global.resident_ns = TENURE_LEASE_DEFAULT_NS;
    while (awake_ns(0, true) >= TENURE_LEASE_DEFAULT_NS)
        continue;
    tn_global.resident_ns = BEYOND_NS;
    cr_expect_geq(least_ns(0), BEYOND_NS);
}

Test(lease, an_explicit_spin_count_is_not_cut_short)
{
    tn_global_need();
    tn_global.spin_set = true;
    tn_global.spin_ns = 1000000;
    cr_expect_geq(least_ns(0), 1000000);
}

Test(lease, pause_ends_it, .timeout = 60)
{
    tn_store(&crew.paused, true);
    while (awake_ns(BEYOND_NS, false) >= BEYOND_NS)
        continue;
}

/* --- Yields that take a slice */

enum { SLICE_LOST_NS = 3000000 };
static bool yields_lose;                               /* each takes so long, */
static char stat_file[] = "/tmp/tenure-park-XXXXXX";   /* and, where this is watched, the quota is to blame */
static int stopped;

static void write_stat(void)
{
    FILE *f = fopen(stat_file, "w");
    cr_assert(f);
    fprintf(f, "nr_throttled %d\n", stopped++);
    fclose(f);
}

int sched_yield(void)
{
    if (!yields_lose)
        return (int)syscall(SYS_sched_yield);
    for (const uint64_t t0 = tn_now_ns(); tn_now_ns() - t0 < SLICE_LOST_NS;)
        continue;
    write_stat();
    return 0;
}

static void lose(bool by_quota, uint64_t lease_ns)
{
    tn_global_need(); /* looks for a quota itself */
    close(mkstemp(stat_file));
    write_stat();
    tn_topo_watch_throttle(by_quota ? stat_file : "");
    tn_store(&crew.lease_ns, lease_ns);
    yields_lose = true;
}

Test(slice, taken_by_a_stranger_is_remembered, .timeout = 60)
{
    struct tn_wait w = {.idle = true, .polls = TN_POLLS};
    lose(false, UINT64_MAX);
    while (!w.contended)
        cr_assert(tn_wait_step_slow(&w, &worker));
    cr_expect_neq(worker.lost_until, 0);
    unlink(stat_file);
}

Test(slice, taken_by_the_quota_is_nobodys, .timeout = 60)
{
    struct tn_wait w = {.idle = true, .polls = TN_POLLS};
    lose(true, UINT64_MAX);
    while (stopped < 5)
        cr_assert(tn_wait_step_slow(&w, &worker));
    cr_expect(!w.contended);
    cr_expect_eq(worker.lost_until, 0);
    unlink(stat_file);
}

Test(slice, taken_by_the_quota_prolongs_no_lease, .timeout = 60)
{
    struct tn_wait w = {.idle = true, .polls = TN_POLLS};
    lose(true, 2 * SLICE_LOST_NS);
    while (tn_wait_step_slow(&w, &worker)) /* would go on for ever if each stop began it again */
        continue;
    unlink(stat_file);
}

/* A worker of a crowded team has given its slice away and is then handed a region from processor `from` on. */
static void serve_late(int from)
{
    struct tn_wait w = {.idle = true, .crowded = true};
    while (worker.gave_slice == 0)
        cr_assert(tn_wait_step_slow(&w, &worker));
    worker.dock.cpu = from;
    tn_park_learn_idle(&worker);
}

Test(slice, given_to_the_worker_s_own_caller_is_not_lost, .timeout = 60)
{
    cpu_set_t here;
    const int cpu = sched_getcpu();
    CPU_ZERO(&here);
    CPU_SET(cpu, &here);
    cr_assert_eq(sched_setaffinity(0, sizeof here, &here), 0);
    lose(false, UINT64_MAX);
    serve_late(cpu);
    cr_expect_eq(worker.lost_until, 0, "the caller ran meanwhile");
    serve_late(cpu + 1);
    cr_expect_neq(worker.lost_until, 0, "the caller was elsewhere, and waited");
    unlink(stat_file);
}

Test(slice, given_where_no_region_came_is_not_lost, .timeout = 60)
{
    struct tn_wait w = {.idle = true, .crowded = true};
    lose(false, UINT64_MAX);
    while (worker.gave_slice == 0)
        cr_assert(tn_wait_step_slow(&w, &worker));
    yields_lose = false;
    while (worker.gave_slice != 0) /* a yield may lose a real one */
        cr_assert(tn_wait_step_slow(&w, &worker));
    cr_expect_eq(worker.lost_until, 0);
    unlink(stat_file);
}

/* How often a wait of a crowded team yields when slices have been lost. */
static uint32_t yields_after_loss(void)
{
    struct tn_wait loses = {.crowded = true}, next = {.crowded = true};
    yields_lose = true;
    while (!loses.contended)
        tn_wait_step_slow(&loses, &worker);
    yields_lose = false;
    const uint32_t before = worker.yields;
    while (tn_wait_step_slow(&next, &worker))
        continue;
    return worker.yields - before;
}

Test(slice, lost_again_and_again_is_no_way_to_spin_for_less, .timeout = 60)
{
    lose(false, 0);
    tn_global.spin_set = true;
    tn_global.spin_ns = SLICE_LOST_NS / 10;
    while (yields_after_loss() > 0) /* once we were stopped so long that it is forgotten */
        continue;
    unlink(stat_file);
}
