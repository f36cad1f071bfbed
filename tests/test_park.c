/* SPDX-License-Identifier: MIT */
/* How long an idle worker stays awake under a lease, with and without others who want its processor. Times are bounds that hold on
 * any machine: the least of several tries for what must not be cut short, the longest for what must hold where nobody disturbs. */
#include <criterion/criterion.h>

#include "clock.h"
#include "crew.h"
#include "park.h"
#include "team.h"
#include "tenure.h"
#include "thread.h"

enum { TRIES = 20 };
#define BEYOND_NS (TENURE_LEASE_DEFAULT_NS + 1000000) /* asked for in so many words */

static struct tn_crew crew = {.inner = &tn_crew_none};
static struct tn_team team = {.width = 2, .crew = &crew, .active_level = 1};
static struct tn_member member = {.team = &team, .num = 1};
static struct tn_thread worker = {.cur = &member};

struct awake {
    uint64_t least, longest;
};

static struct awake awake_ns(uint64_t lease_ns, bool contended)
{
    struct awake a = {.least = UINT64_MAX};
    tn_global_need();
    tn_store(&crew.lease_ns, lease_ns);
    for (int i = 0; i < TRIES; i++) {
        struct tn_wait w = {.idle = true, .contended = contended, .polls = TN_POLLS};
        const uint64_t t0 = tn_now_ns();
        while (tn_wait_step_slow(&w, &worker))
            continue;
        const uint64_t ns = tn_now_ns() - t0;
        a.least = ns < a.least ? ns : a.least;
        a.longest = ns > a.longest ? ns : a.longest;
    }
    return a;
}

Test(lease, holds_where_nobody_else_wants_the_processor)
{
    cr_expect_geq(awake_ns(TENURE_LEASE_DEFAULT_NS, false).longest, TENURE_LEASE_DEFAULT_NS);
}

Test(lease, of_the_default_length_gives_way)
{
    cr_expect_lt(awake_ns(TENURE_LEASE_DEFAULT_NS, true).least, TENURE_LEASE_DEFAULT_NS);
}

Test(lease, longer_than_the_default_holds)
{
    cr_expect_geq(awake_ns(BEYOND_NS, true).least, BEYOND_NS);
}

Test(lease, by_TENURE_RESIDENT_is_the_same)
{
    tn_global_need();
    tn_global.resident_ns = TENURE_LEASE_DEFAULT_NS;
    cr_expect_lt(awake_ns(0, true).least, TENURE_LEASE_DEFAULT_NS);
    tn_global.resident_ns = BEYOND_NS;
    cr_expect_geq(awake_ns(0, true).least, BEYOND_NS);
}

Test(lease, an_explicit_spin_count_is_not_cut_short)
{
    tn_global_need();
    tn_global.spin_set = true;
    tn_global.spin_ns = 1000000;
    cr_expect_geq(awake_ns(0, true).least, 1000000);
}

Test(lease, pause_ends_it)
{
    tn_store(&crew.paused, true);
    cr_expect_lt(awake_ns(BEYOND_NS, false).least, BEYOND_NS);
}
