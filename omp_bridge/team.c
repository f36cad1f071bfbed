/* SPDX-License-Identifier: MIT */
/* Building teams: one allocation per team, the shape of its barrier, its members' places. Only the owner of the crew calls
 * these, between regions. */
#include "team.h"

#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "msg.h"
#include "places.h"

/* Teams up to this width meet by exchange: each member reads w - 1 lines, one transfer deep, where a tree is at least
 * two deep. */
#define EXCHANGE_MAX 4
/* Children per tree node: a parent's stores to several lines overlap, a level of depth does not. */
#define ARITY 4

void tn_team_init_shared(struct tn_team *team)
{
    tn_ws_team_init(team);
    tn_task_team_init(team);
}

void tn_team_fini_shared(struct tn_team *team)
{
    tn_ws_team_fini(team);
    tn_task_team_fini(team);
}

/* Member i gathers and releases [lo, hi). Narrow teams are flat: member 0 has all. */
static void shape(struct tn_team *team)
{
    unsigned w = team->width, arity = w <= 8 ? w : ARITY;
    team->exchange = w <= EXCHANGE_MAX;
    for (unsigned i = 0; i < w; i++) {
        struct tn_member *m = &team->member[i];
        unsigned lo = i * arity + 1, hi = lo + arity;
        m->child_lo = lo < w ? lo : w;
        m->child_hi = hi < w ? hi : w;
        m->parent = i == 0 ? 0 : (i - 1) / arity;
    }
}

/* Where the crew serves may change with its owner: levels, outer, who the members are. */
static void settle(struct tn_team *team, struct tn_crew *crew)
{
    struct tn_member *outer = crew->outer;
    team->outer = outer;
    team->level = outer->team->level + 1;
    team->active_level = outer->team->active_level + (team->width > 1);
    team->span = outer->team->span * team->width;
    tn_store(&team->crowded, team->span > tn_global.worth);
    /* Only what changed is written: a worker that leaves the last region late may still look. */
    for (unsigned i = 0; i < team->width; i++) {
        struct tn_thread *t = i ? crew->worker[i - 1] : crew->owner;
        if (team->member[i].thread != t)
            team->member[i].thread = t;
    }
}

static struct tn_team *build(struct tn_crew *crew, unsigned width)
{
    size_t size = sizeof(struct tn_team) + width * sizeof(struct tn_member);
    struct tn_team *team = aligned_alloc(TN_LINE, size);
    if (!team)
        tn_fatal("out of memory for a team of %u threads (%zu bytes)", width, size);
    memset(team, 0, size);
    team->width = width;
    team->crew = crew;
    team->member = (struct tn_member *)(team + 1);
    for (unsigned i = 0; i < width; i++) {
        struct tn_member *m = &team->member[i];
        m->team = team;
        m->num = i;
        m->place = -1;
    }
    shape(team);
    tn_team_init_shared(team);
    return team;
}

struct tn_team *tn_team_for(struct tn_crew *crew, unsigned width)
{
    if (width >= crew->teams_len) {
        unsigned len = width + 8 + width / 2;
        struct tn_team **t = realloc(crew->teams, len * sizeof *t);
        if (!t)
            tn_fatal("out of memory for a table of %u teams", len);
        memset(t + crew->teams_len, 0, (len - crew->teams_len) * sizeof *t);
        crew->teams = t;
        crew->teams_len = len;
    }
    if (!crew->teams[width])
        crew->teams[width] = build(crew, width);
    settle(crew->teams[width], crew);
    return crew->teams[width];
}

void tn_team_free(struct tn_team *team)
{
    tn_icv_extra_free(team);
    tn_team_fini_shared(team);
    free(team);
}
