/* SPDX-License-Identifier: MIT */
/* Where the members of a crowded team go that does not sleep (team.h): a model of such a team, moved until it rests. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <sched.h>
#include <string.h>

#include "crew.h"
#include "team.h"
#include "thread.h"

static struct tn_crew crew = {.inner = &tn_crew_none};

enum { MEMBERS = 8 };
static struct tn_thread thread_of[MEMBERS];
static struct tn_member wide_member[MEMBERS], *wide_kid[MEMBERS - 1];
static struct tn_team wide = {.width = MEMBERS, .crew = &crew, .member = wide_member, .kid = wide_kid};

/* Each member is where `cpus` says, a digit each, thread 0 first; who goes, and where to, in turn, until nobody does. */
static const char *spread(const char *cpus, unsigned processors)
{
    static char now[MEMBERS + 1];
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned cpu = 0; cpu < processors; cpu++)
        CPU_SET(cpu, &set);
    tn_global_need();
    crew.mask = &set;
    strcpy(now, cpus);
    wide.width = (unsigned)strlen(cpus);
    for (int goes = 1; goes > 0;) {
        for (unsigned i = 0; i < wide.width; i++) {
            wide_member[i] = (struct tn_member){.team = &wide, .num = i, .thread = &thread_of[i]};
            thread_of[i].dock.cpu = now[0] - '0';
            thread_of[i].runs_cpu = i ? now[i] - '0' : -1; /* a calling thread does not say */
            if (i)
                wide_kid[i - 1] = &wide_member[i];
        }
        goes = 0;
        for (unsigned i = 1; i < wide.width; i++) {
            int to = tn_team_emptier_cpu(&wide, &wide_member[i], now[i] - '0');
            if (to >= 0) {
                cr_assert_eq(++goes, 1, "one at a time: %s", now);
                cr_assert_neq(to, now[i] - '0');
                now[i] = (char)('0' + to); /* the others look as of before */
            }
        }
    }
    crew.mask = NULL;
    return now;
}

Test(spread, of_crowded_teams)
{
    cr_expect_str_eq(spread("0111", 2), "0110");
    cr_expect_str_eq(spread("0001", 2), "0101");
    cr_expect_str_eq(spread("0000", 2), "0110");
    cr_expect_str_eq(spread("00000000", 2), "01111000");
    cr_expect_str_eq(spread("0101", 2), "0101");
    cr_expect_str_eq(spread("011", 2), "011");
    cr_expect_str_eq(spread("001", 2), "011", "of an odd number the caller's processor has fewer");
    cr_expect_str_eq(spread("00110012", 4), "03112032");
    cr_expect_str_eq(spread("00333", 1), "00333", "no room in the set"); /* of which 3 is no longer part */
}
