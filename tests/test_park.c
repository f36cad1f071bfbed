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
static struct tn_thread worker, other;
static struct tn_member member[3];
static struct tn_team team = {.width = 3, .crew = &crew, .active_level = 1, .member = member, .outer = &tn_member_none};
static struct tn_member member[3] = {{.team = &team}, {.team = &team, .num = 1, .thread = &worker}, {.team = &team, .num = 2, .thread = &other}};
static struct tn_thread worker = {.cur = &member[1], .dock = {.member = &member[1]}};

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

/* --- In crowded teams: only who is late has lost one */

static int here; /* we stay on this processor */

static void lose_here(void)
{
    cpu_set_t set;
    here = sched_getcpu();
    CPU_ZERO(&set);
    CPU_SET(here, &set);
    cr_assert_eq(sched_setaffinity(0, sizeof set, &set), 0);
    lose(false, UINT64_MAX);
    tn_store(&team.crowded, true);
}

static struct tn_wait wait_for_a_slice(bool idle)
{
    struct tn_wait w = {.idle = idle, .crowded = true};
    while (worker.gave_slice == 0)
        cr_assert(tn_wait_step_slow(&w, &worker));
    return w;
}

/* A worker has given its slice away and is then handed a region from processor `from` on. */
static void serve_late(int from)
{
    wait_for_a_slice(true);
    worker.dock.cpu = from;
    tn_park_learn_idle(&worker);
}

Test(late, for_a_region_of_a_caller_elsewhere, .timeout = 60)
{
    lose_here();
    serve_late(here + 1);
    cr_expect_neq(worker.lost_until, 0);
    unlink(stat_file);
}

Test(late, since_the_caller_itself_ran_here, .timeout = 60)
{
    lose_here();
    serve_late(here);
    cr_expect_eq(worker.lost_until, 0);
    unlink(stat_file);
}

Test(late, since_another_member_ran_here, .timeout = 60)
{
    lose_here();
    wait_for_a_slice(true);
    worker.dock.cpu = here + 1;
    tn_store(&other.runs_cpu, here);
    tn_store(&other.runs_since, worker.gave_slice + 1000); /* handed the region at once */
    tn_park_learn_idle(&worker);
    cr_expect_eq(worker.lost_until, 0);
    wait_for_a_slice(true);
    tn_store(&other.runs_since, worker.gave_slice + SLICE_LOST_NS); /* by then it was late itself */
    tn_park_learn_idle(&worker);
    cr_expect_neq(worker.lost_until, 0);
    unlink(stat_file);
}

/* What the wait at the next barrier finds, after one at which the last of the others came `ago` before the slice was over. */
enum found { NOT_LATE, LATE, NO_YIELD /* it sleeps at once, for what was lost before */ };
static bool went_on; /* they have: did not wait themselves */
static enum found found_at_a_barrier(uint64_t ago, bool waits_on)
{
    struct tn_wait w = {.crowded = true}, next = {.crowded = true};
    worker.lost_until = worker.gave_slice = 0;
    tn_wait_step_slow(&w, &worker);
    tn_store(&other.waits_since, (tn_now_ns() + SLICE_LOST_NS - ago) / 2 * 2 + went_on); /* the slice begins now */
    tn_wait_step_slow(&w, &worker);
    if (tn_now_ns() - w.start_ns < SLICE_LOST_NS)
        return NO_YIELD;
    member[1].bar_idx += !waits_on;
    tn_wait_step_slow(&next, &worker);
    return worker.lost_until != 0 ? LATE : NOT_LATE;
}

Test(late, at_a_barrier_that_the_others_had_reached_long_ago, .timeout = 60)
{
    lose_here();
    while (found_at_a_barrier(SLICE_LOST_NS, false) != LATE) /* debug builds lose at random */
        continue;
    unlink(stat_file);
}

Test(late, but_one_of_the_others_came_only_now, .timeout = 60)
{
    lose_here();
    while (found_at_a_barrier(0, false) != NOT_LATE) /* we may be stopped, and really late */
        continue;
    unlink(stat_file);
}

Test(late, but_one_of_the_others_has_gone_on_here, .timeout = 60)
{
    enum found found;
    lose_here();
    tn_store(&other.runs_cpu, here);
    went_on = true;
    while ((found = found_at_a_barrier(SLICE_LOST_NS - 100000, false)) == NO_YIELD)
        continue;
    cr_expect_eq(found, NOT_LATE);
    tn_store(&other.runs_cpu, here + 1); /* or elsewhere */
    while (found_at_a_barrier(SLICE_LOST_NS - 100000, false) != LATE)
        continue;
    unlink(stat_file);
}

Test(late, but_others_have_still_to_come, .timeout = 60)
{
    lose_here();
    enum found found;
    while ((found = found_at_a_barrier(SLICE_LOST_NS, true)) == NO_YIELD)
        continue;
    cr_expect_eq(found, NOT_LATE);
    unlink(stat_file);
}

Test(late, where_no_region_came_is_not, .timeout = 60)
{
    lose_here();
    struct tn_wait w = wait_for_a_slice(true);
    yields_lose = false;
    while (worker.gave_slice != 0) /* a yield may lose a real one */
        cr_assert(tn_wait_step_slow(&w, &worker));
    cr_expect_eq(worker.lost_until, 0);
    unlink(stat_file);
}

/* How often a wait of a crowded team yields when slices have been lost. */
static uint32_t yields_after_loss(void)
{
    struct tn_wait next = {.crowded = true};
    yields_lose = true;
    for (bool lost = false; !lost; member[1].bar_idx++) {
        struct tn_wait w = {.crowded = true};
        tn_wait_step_slow(&w, &worker);
        lost = w.contended;
        tn_wait_step_slow(&w, &worker);
    }
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

/* --- A crowded team under foreign load: on one processor, if wakes from another take longer than its parts */

static cpu_set_t all;
static int elsewhere = -1; /* a second processor that we may use */

static void two_processors(void)
{
    sched_getaffinity(0, sizeof all, &all);
    lose_here();
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (cpu != here && CPU_ISSET(cpu, &all))
            elsewhere = cpu;
    sched_setaffinity(0, sizeof all, &all);
    worker.is_worker = true;
    worker.place = -1;
}

/* Slices are lost, and the worker sleeps; its releaser was elsewhere. Where is it then? */
static int sleeps_on(uint64_t part_ns, uint64_t wake_ns)
{
    yields_after_loss();
    worker.part_ns = part_ns;
    worker.wake_ns = wake_ns;
    worker.caller_cpu = sched_getcpu() == elsewhere ? here : elsewhere;
    worker.followed_ns = 0;
    tn_park_prepare(&worker, &team);
    int cpu = sched_getcpu();
    tn_park_finish(&worker, &team);
    return cpu;
}

Test(follow, a_worker_of_short_parts, .timeout = 60)
{
    cpu_set_t now;
    two_processors();
    while (elsewhere >= 0 && (sleeps_on(1000, 100000) != worker.caller_cpu || worker.followed_ns == 0)) /* the loss may be forgotten already */
        continue;
    sched_getaffinity(0, sizeof now, &now);
    cr_expect(CPU_EQUAL(&now, &all), "its set is what it was");
    unlink(stat_file);
}

Test(follow, not_with_longer_parts_nor_where_it_is_bound, .timeout = 60)
{
    two_processors();
    sleeps_on(70000, 100000); /* three of them, two wakes */
    cr_expect_eq(worker.followed_ns, 0);
    worker.place = 0;
    sleeps_on(1000, 100000);
    cr_expect_eq(worker.followed_ns, 0);
    unlink(stat_file);
}

enum { MANY = 200, PART_NS = 1000000 };
#define EXPECT_LEARNED(ns, what) cr_expect((ns) > PART_NS / 2 && (ns) < 2 * PART_NS, what ": %lu ns", (unsigned long)(ns))

Test(follow, parts_are_learned, .timeout = 60)
{
    tn_global_need();
    for (int i = 0; i < MANY; i++) {
        struct tn_wait w = {.crowded = true};
        worker.part_since = tn_now_ns() - (i % 10 == 0 ? 100 * PART_NS : PART_NS); /* a stranger's slice in one of ten */
        tn_wait_step_slow(&w, &worker);
    }
    EXPECT_LEARNED(worker.part_ns, "a part");
}

static void wake(int from_cpu)
{
    tn_park_prepare(&worker, NULL);
    tn_unpark_slow(&worker);
    worker.park.waker_cpu = from_cpu;
    worker.park.woken_ns = tn_now_ns() - PART_NS;
    tn_park_finish(&worker, NULL);
}

Test(follow, wakes_from_other_processors_are_learned, .timeout = 60)
{
    lose_here();
    for (int i = 0; i < MANY; i++)
        wake(here);
    cr_expect_eq(worker.wake_ns, 0, "from its own: %lu ns", (unsigned long)worker.wake_ns);
    for (int i = 0; i < MANY; i++)
        wake(here + 1);
    EXPECT_LEARNED(worker.wake_ns, "from another");
    unlink(stat_file);
}
