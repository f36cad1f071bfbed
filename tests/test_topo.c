/* SPDX-License-Identifier: MIT */
/* Topology of the machine the test runs on: whatever it is, groups of a level are a partition of the set that was given,
 * ordered, and each level's groups lie within the next one's. */
#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "icv.h"
#include "topo.h"

#define GROUPS 1024
struct groups {
    unsigned len;
    union tn_set set[GROUPS];
};

static bool add(void *arg, const cpu_set_t *set)
{
    struct groups *g = arg;
    memcpy(&g->set[g->len++], set, tn_topo_set_size());
    return g->len < GROUPS;
}

static struct groups *groups(enum tn_topo_level level)
{
    struct groups *g = calloc(1, sizeof *g);
    tn_topo_groups(level, add, g);
    return g;
}

static size_t size;
static const cpu_set_t *allowed;

static void start(void)
{
    tn_topo_start();
    allowed = tn_topo_allowed(&size);
}

TestSuite(topo, .init = start);

Test(topo, the_set_that_was_given)
{
    cpu_set_t kernel;
    cr_assert_eq(sched_getaffinity(0, sizeof kernel, &kernel), 0);
    cr_expect_eq(memcmp(&kernel, allowed, sizeof kernel), 0);
    cr_expect_eq(tn_global.procs, (unsigned)CPU_COUNT(&kernel));
    cr_expect(tn_topo_cpu_limit() >= tn_global.procs && tn_topo_cpu_limit() <= size * 8);
    cpu_set_t one = kernel;
    for (int cpu = 0; CPU_COUNT(&one) > 1; cpu++)
        CPU_CLR(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    tn_topo_start();
    cr_expect_eq(tn_global.procs, (unsigned)CPU_COUNT(&kernel), "what was given, not what is now");
    union tn_set now;
    cr_expect(tn_topo_get_set(0, &now.set));
    cr_expect_eq(CPU_COUNT(&now.set), 1);
}

Test(topo, groups_are_a_partition)
{
    for (enum tn_topo_level level = TN_TOPO_THREADS; level <= TN_TOPO_NUMA; level++) {
        struct groups *g = groups(level);
        union tn_set all = {0}, both;
        cr_expect(g->len > 0);
        for (unsigned i = 0; i < g->len; i++) {
            CPU_AND_S(size, &both.set, &all.set, &g->set[i].set);
            cr_expect_eq(CPU_COUNT_S(size, &both.set), 0, "level %d: in two groups", level);
            cr_expect(CPU_COUNT_S(size, &g->set[i].set) > 0);
            CPU_OR_S(size, &all.set, &all.set, &g->set[i].set);
        }
        cr_expect(CPU_EQUAL_S(size, &all.set, allowed), "level %d: not all", level);
        free(g);
    }
}

Test(topo, levels_nest)
{
    struct groups *threads = groups(TN_TOPO_THREADS), *cores = groups(TN_TOPO_CORES), *sockets = groups(TN_TOPO_SOCKETS);
    cr_expect_eq(threads->len, tn_global.procs);
    cr_expect(threads->len >= cores->len && cores->len >= sockets->len);
    for (unsigned c = 0; c < cores->len; c++) {
        unsigned homes = 0;
        for (unsigned s = 0; s < sockets->len; s++) {
            union tn_set both;
            CPU_AND_S(size, &both.set, &cores->set[c].set, &sockets->set[s].set);
            homes += CPU_COUNT_S(size, &both.set) > 0;
        }
        cr_expect_eq(homes, 1, "a core in %u sockets", homes);
    }
    free(threads);
    free(cores);
    free(sockets);
}

static bool once(void *arg, const cpu_set_t *set)
{
    (void)set;
    ++*(int *)arg;
    return false;
}

Test(topo, stops_when_told)
{
    for (enum tn_topo_level level = TN_TOPO_THREADS; level <= TN_TOPO_NUMA; level++) {
        int calls = 0;
        tn_topo_groups(level, once, &calls);
        cr_expect_eq(calls, 1);
    }
}

Test(topo, limits_make_sense)
{
    unsigned quota = tn_topo_quota(), room = tn_topo_free_procs();
    cr_expect(quota < 1 << 20);
    cr_expect(room >= 1 && room <= tn_global.procs);
}

static void write_stat(const char *file, int throttled)
{
    FILE *f = fopen(file, "w");
    cr_assert(f);
    fprintf(f, "nr_periods 9\nnr_throttled %d\nthrottled_usec 5\n", throttled);
    fclose(f);
}

Test(topo, tells_when_the_quota_stopped_us)
{
    char file[] = "/tmp/tenure-stat-XXXXXX";
    close(mkstemp(file));
    const uint64_t start = tn_now_ns();
    write_stat(file, 3);
    tn_topo_watch_throttle(file);
    cr_expect(!tn_topo_throttled_since(start), "before we looked");
    write_stat(file, 4);
    cr_expect(tn_topo_throttled_since(start));
    cr_expect(tn_topo_throttled_since(start), "another thread asks of the same time");
    cr_expect(!tn_topo_throttled_since(tn_now_ns()), "long ago");
    unlink(file);
    cr_expect(!tn_topo_throttled_since(tn_now_ns()), "no file");
    tn_topo_watch_throttle("");
    cr_expect(!tn_topo_throttled_since(start), "no quota");
}
