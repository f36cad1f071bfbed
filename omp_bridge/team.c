/* SPDX-License-Identifier: MIT */
/* Building teams: one allocation per team, the shape of its barrier, its members' places. Only the owner of the crew calls
 * these, between regions. */
#include "team.h"

#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "msg.h"
#include "places.h"
#include "shape.h"
#include "topo.h"

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

int tn_team_emptier_cpu(const struct tn_team *team, const struct tn_member *m, int here)
{
    uint16_t members[TN_STEER_CPUS] = {0};
    const cpu_set_t *set = team->crew->mask;
    /* Of member 0's first kid: its dock was written before anybody else was released. */
    int callers = team->kid[team->member[0].child_lo]->thread->dock.cpu, least = here, most = -1;
    if (here < 0 || here >= TN_STEER_CPUS || !set || tn_topo_set_size() > sizeof *set)
        return -1;
    for (unsigned i = 0; i < team->width; i++) {
        int cpu = i == 0 ? callers : i == m->num ? here : tn_load(&team->member[i].thread->runs_cpu);
        if (cpu == here && i > 0 && (here == callers ? i < m->num : i > m->num))
            return -1;
        if (cpu >= 0 && cpu < TN_STEER_CPUS)
            members[cpu]++;
    }
    for (int cpu = 0; cpu < TN_STEER_CPUS; cpu++) {
        if (CPU_ISSET(cpu, set) && members[cpu] < members[least])
            least = cpu;
        if (members[cpu] > (most < 0 ? 0 : members[most]))
            most = cpu;
    }
    /* Of an odd number the caller's has fewer: it starts and ends each region there, so that every member there is a switch; elsewhere the
     * one that was the last goes on as the first. */
    return here == most && members[here] > members[least] + (here != callers) ? least : -1;
}

static bool count_group(void *n, const cpu_set_t *set)
{
    (void)set;
    ++*(unsigned *)n;
    return true;
}

/* How many neighbours in a team of that width share a cache; 1 where members may be anywhere. Reads files, once. */
static unsigned neighbours(unsigned width)
{
    static _Atomic unsigned caches;
    if (tn_places_len == 0 || width <= TN_SHAPE_FLAT_MAX)
        return 1;
    unsigned n = tn_load(&caches);
    if (n == 0) {
        tn_topo_groups(TN_TOPO_LL_CACHES, count_group, &n);
        n = n ? n : 1;
        tn_store(&caches, n);
    }
    unsigned over = width < tn_places_len && tn_global.icv.bind != TN_BIND_SPREAD ? tn_places_len : width;
    return over > n ? over / n : 1;
}

/* Who releases and gathers whom. */
static void shape(struct tn_team *team)
{
    unsigned w = team->width, next = 0;
    _Static_assert(sizeof *team->kid >= 2 * sizeof(unsigned), "the table of children, not yet filled, is room to choose in");
    struct tn_shape s = tn_shape_choose(w, neighbours(w), (unsigned *)team->kid);
    team->exchange = s.exchange;
    for (unsigned i = 0; i < w; i++) {
        struct tn_shape_kids k = tn_shape_kids(s, w, i);
        team->member[i].child_lo = next;
        for (unsigned kid = 0; (kid = tn_shape_next(&k, kid)) != 0;) {
            team->kid[next++] = &team->member[kid];
            team->member[kid].parent = &team->member[i];
        }
        team->member[i].child_hi = next;
    }
}

/* Where the crew serves may change with its owner: levels, outer, who the members are. */
static void settle(struct tn_team *team, struct tn_crew *crew)
{
    struct tn_member *outer = tn_load(&crew->outer);
    team->outer = outer;
    team->level = outer->team->level + 1;
    team->active_level = outer->team->active_level + (team->width > 1);
    team->span = outer->team->span * team->width;
    tn_store(&team->crowded, team->span > tn_global.procs);
    /* Only what changed is written: a worker that leaves the last region late may still look. */
    for (unsigned i = 0; i < team->width; i++) {
        struct tn_thread *t = i ? crew->worker[i - 1] : tn_load(&crew->owner);
        if (team->member[i].thread != t)
            team->member[i].thread = t;
    }
}

static struct tn_team *build(struct tn_crew *crew, unsigned width)
{
    size_t kids = (width * sizeof(struct tn_member *) + TN_LINE - 1) / TN_LINE * TN_LINE;
    size_t size = sizeof(struct tn_team) + width * sizeof(struct tn_member) + kids;
    struct tn_team *team = aligned_alloc(TN_LINE, size);
    if (!team)
        tn_fatal("out of memory for a team of %u threads (%zu bytes)", width, size);
    memset(team, 0, size);
    team->width = width;
    team->crew = crew;
    team->member = (struct tn_member *)(team + 1);
    team->kid = (struct tn_member **)(team->member + width);
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
