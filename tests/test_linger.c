/* SPDX-License-Identifier: MIT */
/* Who looks on before it yields (linger.h): for members on its own processor nobody does, and whoever has looked on in vain does it less.
 * And an outer team, around one that is crowded, yields too (park.c). */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <sched.h>

#include "linger.h"
#include "park.h"
#include "team.h"
#include "thread.h"
#include "topo.h"

enum { WIDTH = 3, TRIES = 64 };
#define EPOCH TN_EPOCH(7, 1)
#define JOIN TN_EPOCH(7, TN_IDX_JOIN)

static int here; /* we stay on this processor */
static struct tn_thread caller, me, other;
static struct tn_member member[WIDTH];
static struct tn_team team = {.width = WIDTH, .span = WIDTH, .member = member, .outer = &tn_member_none, .active_level = 1};
static struct tn_member member[WIDTH] = {
    {.team = &team, .thread = &caller}, {.team = &team, .num = 1, .thread = &me}, {.team = &team, .num = 2, .thread = &other}};
static struct tn_thread me = {.cur = &member[1]};

/* A team of three on two processors; only we are on this one. */
static void stay_here(void)
{
    cpu_set_t set;
    tn_global_need();
    tn_global.procs = 2;
    here = sched_getcpu();
    CPU_ZERO(&set);
    CPU_SET(here, &set);
    cr_assert_eq(sched_setaffinity(0, sizeof set, &set), 0);
    tn_store(&caller.runs_cpu, here + 1);
    tn_store(&other.runs_cpu, here + 1);
    tn_store(&team.crowded, true);
    me.linger.gatherer = &caller;
    me.caller_cpu = here + 1;
}

TestSuite(linger, .init = stay_here, .timeout = 60);

/* In so many of TRIES waits. */
static int looked_on(struct tn_wait wait, bool alone)
{
    int times = 0;
    for (int i = 0; i < TRIES; i++) {
        struct tn_wait w = wait;
        times += tn_linger(&w, &me, alone);
    }
    return times;
}

static int for_others(uint64_t epoch, bool alone)
{
    return looked_on((struct tn_wait){.crowded = true, .epoch = epoch}, alone);
}

static int for_a_region(bool alone)
{
    return looked_on((struct tn_wait){.crowded = true, .idle = true}, alone);
}

Test(linger, not_where_a_member_here_has_yet_to_come)
{
    cr_expect_eq(for_others(EPOCH, true), TRIES, "all who are late are elsewhere");
    tn_store(&other.runs_cpu, here);
    cr_expect_eq(for_others(EPOCH, true), 0);
    tn_store(&other.dock.arrived, EPOCH);
    cr_expect_eq(for_others(EPOCH, true), TRIES, "it has come, through the tree");
    cr_expect_eq(for_others(EPOCH + 1, true), 0, "not to the next one");
    team.exchange = true;
    cr_expect_eq(for_others(EPOCH, true), 0);
    tn_store(&member[2].arrive[EPOCH & 1], EPOCH);
    cr_expect_eq(for_others(EPOCH, true), TRIES, "through the exchange");
    cr_expect_eq(for_others(JOIN, true), 0, "whose slots say nothing about a join");
    tn_store(&other.dock.arrived, JOIN);
    cr_expect_eq(for_others(JOIN, true), TRIES);
    cr_expect_eq(for_others(0, true), 0, "it waits for something else");
}

Test(linger, for_as_long_as_a_yield_takes_and_seldom_in_vain)
{
    struct tn_wait w = {.crowded = true, .epoch = EPOCH};
    int polls = 0;
    while (tn_linger(&w, &me, true))
        polls++;
    cr_expect_eq(polls, 2 * TN_POLLS - 1);
    cr_expect_eq(me.linger.in_vain, 1);
    tn_linger_begin(&me);
    cr_expect_eq(me.linger.in_vain, 1, "the last wait ended with a yield");
    cr_assert(tn_linger(&w, &me, true));
    tn_linger_begin(&me);
    cr_expect_eq(me.linger.in_vain, 0, "the last one was looking on");

    for (int i = 0; i < 100; i++) {
        w.linger = 0;
        while (tn_linger(&w, &me, true))
            continue;
        me.yields++;
    }
    int tries = 0;
    for (int i = 0; i < 160; i++, me.yields++) {
        w.linger = 0;
        tries += tn_linger(&w, &me, true);
    }
    cr_expect_eq(tries, 10, "one of sixteen: %d", tries);
}

Test(linger, for_a_region_if_it_was_the_last_here)
{
    tn_linger_arrives(&me, JOIN);
    cr_expect_eq(for_a_region(true), TRIES, "alone on this processor");
    tn_store(&other.runs_cpu, here);
    tn_linger_arrives(&me, JOIN);
    cr_expect_eq(for_a_region(true), 0, "another has yet to arrive");
    tn_store(&other.dock.arrived, JOIN);
    tn_linger_arrives(&me, JOIN);
    cr_expect_eq(for_a_region(true), TRIES);
    me.caller_cpu = here;
    cr_expect_eq(for_a_region(true), 0, "its caller needs the processor");
    me.caller_cpu = here + 1;
    me.linger.gatherer = NULL;
    cr_expect_eq(for_a_region(true), 0, "it has not served yet");
}

Test(linger, beside_other_teams_for_who_does_not_yield)
{
    team.width = 2; /* of which we are the worker */
    team.span = 4;
    cr_expect_eq(for_others(JOIN, false), TRIES);
    cr_expect_eq(for_a_region(false), TRIES);
    tn_store(&caller.away, true);
    int times = for_others(JOIN, false);
    cr_expect(times > TRIES / 4 && times < TRIES * 3 / 4, "both yield: one stays at times: %d", times);
    times = for_a_region(false);
    cr_expect(times > TRIES / 4 && times < TRIES * 3 / 4, "%d", times);
    tn_store(&caller.away, false);
    team.span = 5;
    cr_expect_eq(for_others(JOIN, false), 0, "so many do not run at a time");
    cr_expect_eq(for_a_region(false), 0);
    team.span = 3;
    team.width = 3;
    cr_expect_eq(for_others(JOIN, false), 0, "no processor for each");
    cr_expect_eq(for_a_region(false), 0);
}

/* --- The outer team of a crowded one */

static struct tn_team inner = {.width = 2, .span = 4, .outer = &member[0], .active_level = 2};
static struct tn_member inner_member[2] = {{.team = &inner, .thread = &caller}, {.team = &inner, .num = 1, .thread = &other}};

static void wait_in(struct tn_member *m, bool crowded)
{
    struct tn_wait w = {.crowded = crowded};
    m->thread->cur = m;
    tn_wait_step_slow(&w, m->thread);
}

/* Nothing is noted while a slice is believed lost, as a debug build does at random for up to 2 ms, most of the time. So many waits that
 * some hundred are noted there too; */
static void waits_in(struct tn_member *m)
{
    for (int i = 0; i < 100000; i++)
        wait_in(m, tn_load(&m->team->crowded));
}

/* or until the suite's timeout. */
static void waits_in_until(struct tn_member *m, bool crowded)
{
    while (tn_load(&team.crowded) != crowded)
        wait_in(m, tn_load(&m->team->crowded));
}

Test(linger, outer_teams_of_crowded_ones_yield)
{
    inner.member = inner_member;
    team.width = 2;
    team.span = 2;
    tn_store(&team.crowded, false);
    tn_store(&inner.crowded, false);
    waits_in(&inner_member[1]);
    cr_expect_not(tn_load(&team.crowded));
    tn_store(&inner.crowded, true);
    waits_in_until(&inner_member[1], true);
    waits_in(&inner_member[1]);
    cr_expect(tn_load(&team.crowded));
    waits_in(&member[1]);
    cr_expect(tn_load(&team.crowded), "its worker does not say when it is over");
    waits_in_until(&member[0], false); /* its caller does */
    cr_expect_eq(tn_member_none.team->crowded, false);
    wait_in(&tn_member_none, true); /* several callers make their waits yield: there is no team around */
}
