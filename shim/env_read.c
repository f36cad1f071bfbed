/* SPDX-License-Identifier: MIT */
/* How each variable is read: one function per form. Called while the environment is read, by one thread; a malformed value
 * changes nothing and returns false (what a function has complained about itself returns true). */
#include <limits.h>
#include <string.h>

#include "env_row.h"
#include "icv.h"
#include "places.h"

const char *const tn_env_bind_words[] = {"false", "true", "master", "close", "spread", "primary", NULL};
const char *const tn_env_sched_words[] = {"static", "dynamic", "guided", "auto", NULL};
const char *const tn_env_alloc_words[] = {
    "omp_default_mem_alloc", "omp_large_cap_mem_alloc", "omp_const_mem_alloc",  "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",
    "omp_cgroup_mem_alloc",  "omp_pteam_mem_alloc",     "omp_thread_mem_alloc", NULL};

bool tn_env_parse_bool(const struct tn_env_row *r, const char *s)
{
    static const char *const words[] = {"false", "true", NULL};
    int w = tn_env_word(&s, words);
    if (w < 0 || !tn_env_end(s))
        return false;
    *(bool *)r->to = w;
    return true;
}

/* Ours take more words for yes and no. */
bool tn_env_parse_switch(const struct tn_env_row *r, const char *s)
{
    return tn_env_switch(s, r->to);
}

bool tn_env_parse_int(const struct tn_env_row *r, const char *s)
{
    long v;
    if (!tn_env_long(&s, &v) || !tn_env_end(s) || v < r->min || v > r->max)
        return false;
    *(int *)r->to = (int)v;
    return true;
}

/* A positive count, cut to r->max. */
bool tn_env_parse_count(const struct tn_env_row *r, const char *s)
{
    unsigned long v;
    if (!tn_env_ulong(&s, &v) || !tn_env_end(s) || (long)v < r->min)
        return false;
    *(unsigned *)r->to = v < (unsigned long)r->max ? (unsigned)v : (unsigned)r->max;
    return true;
}

bool tn_env_parse_choice(const struct tn_env_row *r, const char *s)
{
    int w = tn_env_word(&s, r->words);
    if (w < 0 || !tn_env_end(s))
        return false;
    *(int *)r->to = w;
    return true;
}

/* --- The variables with a form of their own --------------------------------------------------------------------------- */

bool tn_env_parse_nested(const struct tn_env_row *r, const char *s)
{
    return tn_env_seen.nested_set = tn_env_parse_bool(r, s);
}

bool tn_env_parse_levels(const struct tn_env_row *r, const char *s)
{
    return tn_env_seen.levels_set = tn_env_parse_count(r, s);
}

bool tn_env_parse_num_threads(const struct tn_env_row *r, const char *s)
{
    (void)r;
    unsigned list[TN_LEVELS_MAX + 1], len = 0;
    do {
        unsigned long v;
        if (!tn_env_ulong(&s, &v) || (long)v < 1)
            return false;
        if (len <= TN_LEVELS_MAX)
            list[len++] = v < INT_MAX ? (unsigned)v : INT_MAX;
        tn_env_space(&s);
    } while (*s++ == ',');
    if (s[-1] != '\0')
        return false;
    memcpy(tn_global.nthreads_list, list, len * sizeof *list);
    tn_global.nthreads_list_len = len;
    tn_global.icv.nthreads = list[0];
    return tn_global.nthreads_set = true;
}

bool tn_env_parse_proc_bind(const struct tn_env_row *r, const char *s)
{
    (void)r;
    uint8_t list[TN_LEVELS_MAX + 1];
    unsigned len = 0;
    do {
        int w = tn_env_word(&s, tn_env_bind_words);
        if (w == 5)
            w = TN_BIND_PRIMARY;
        bool alone = w == TN_BIND_FALSE || w == TN_BIND_TRUE; /* these two only by themselves */
        if (w < 0 || (alone && (len > 0 || !tn_env_end(s))))
            return false;
        if (len <= TN_LEVELS_MAX)
            list[len++] = (uint8_t)w;
        tn_env_space(&s);
    } while (*s++ == ',');
    if (s[-1] != '\0')
        return false;
    memcpy(tn_global.bind_list, list, len);
    tn_global.bind_list_len = len;
    tn_global.icv.bind = list[0];
    return tn_global.bind_set = true;
}

/* [modifier:]kind[,chunk]. Complains itself: there are two ways to be wrong. */
bool tn_env_parse_schedule(const struct tn_env_row *r, const char *s)
{
    static const char *const modifiers[] = {"monotonic", "nonmonotonic", NULL};
    int modifier = tn_env_word(&s, modifiers);
    if (modifier >= 0) {
        tn_env_space(&s);
        if (*s++ != ':')
            goto unknown;
    }
    int kind = tn_env_word(&s, tn_env_sched_words);
    tn_env_space(&s);
    if (kind < 0 || (*s != '\0' && *s != ','))
        goto unknown;
    unsigned sched = TN_SCHED_STATIC + (unsigned)kind;
    long chunk = sched != TN_SCHED_STATIC;
    if (*s == ',') {
        s++;
        if (!tn_env_long(&s, &chunk) || !tn_env_end(s) || chunk != (int)chunk) {
            tn_env_complain("Invalid value for chunk size in environment variable %s", r->name);
            return true;
        }
        if (chunk == 0 && sched != TN_SCHED_STATIC)
            chunk = 1;
    }
    /* Unless told otherwise, static is monotonic and the others are not. */
    bool monotonic = modifier < 0 ? sched == TN_SCHED_STATIC : modifier == 0;
    tn_global.icv.run_sched = sched | (monotonic ? TN_SCHED_MONOTONIC : 0);
    tn_global.icv.run_chunk = (int)chunk;
    return true;
unknown:
    tn_env_complain("Unknown value for environment variable %s", r->name);
    return true;
}

/* Kibibytes unless a unit is named. OMP_STACKSIZE goes before GOMP_STACKSIZE. */
bool tn_env_parse_stack(const struct tn_env_row *r, const char *s)
{
    unsigned long v;
    const char *t = s;
    (void)r;
    if (tn_env_seen.stack_set)
        return true;
    bool unit = strpbrk(s, "bBkKmMgG") != NULL;
    if (!(unit ? tn_env_scaled(&t, "bkmg", 1024, &v) : tn_env_ulong(&t, &v) && !__builtin_mul_overflow(v, 1024ul, &v)) ||
        !tn_env_end(t) || strchr(s, '-'))
        return false;
    tn_env_seen.stack_set = true;
    tn_env_seen.stack = v;
    if (v < 16384)
        tn_env_complain("Stack size less than minimum of 16k");
    else
        tn_global.stacksize = v;
    return true;
}

bool tn_env_parse_wait(const struct tn_env_row *r, const char *s)
{
    int w;
    struct tn_env_row mine = *r;
    mine.to = &w;
    if (!tn_env_parse_choice(&mine, s))
        return false;
    tn_global.wait_policy = w ? TN_WAIT_ACTIVE : TN_WAIT_PASSIVE;
    return true;
}

/* One of libgomp's rounds is a pause and a look: 2 ns on old processors, 40 on others. */
#define SPIN_NS 10

bool tn_env_parse_spins(const struct tn_env_row *r, const char *s)
{
    static const char *const words[] = {"infinite", "infinity", NULL};
    unsigned long v = (unsigned long)-1;
    (void)r;
    const char *t = s;
    if (tn_env_word(&t, words) < 0 && (t = s, !tn_env_scaled(&t, "\1kmgt", 1000, &v))) /* no letter for 1 */
        return false;
    if (!tn_env_end(t))
        return false;
    tn_env_seen.spins = v;
    tn_env_seen.spins_set = tn_global.spin_set = true;
    tn_global.spin_ns = v > UINT64_MAX / SPIN_NS ? UINT64_MAX : v * SPIN_NS;
    return true;
}

bool tn_env_parse_allocator(const struct tn_env_row *r, const char *s)
{
    int w = tn_env_word(&s, r->words);
    if (w < 0 || !tn_env_end(s))
        return false;
    tn_global.allocator = (uintptr_t)w + 1; /* omp_allocator_handle_t, from omp_default_mem_alloc = 1 */
    return true;
}

bool tn_env_parse_text(const struct tn_env_row *r, const char *s)
{
    *(const char **)r->to = s;
    return true;
}

bool tn_env_parse_places(const struct tn_env_row *r, const char *s)
{
    (void)r;
    bool ok = tn_env_places(s);
    tn_env_seen.places_set = tn_places_len > 0;
    return ok;
}

bool tn_env_parse_cpu_list(const struct tn_env_row *r, const char *s)
{
    if (!tn_env_cpu_list(s, !tn_env_seen.places_set))
        tn_env_complain("Invalid value for enviroment variable %s", r->name); /* spelled as libgomp spells it */
    return true;
}

/* Time with a unit (ns us ms s); r->min: ns per unit of a bare number. "infinite" as well. */
bool tn_env_parse_time(const struct tn_env_row *r, const char *s)
{
    static const char *const words[] = {"ns", "us", "ms", "s", "infinite", NULL};
    static const unsigned long ns[] = {1, 1000, 1000000, 1000000000};
    unsigned long v, factor = (unsigned long)r->min;
    const char *t = s;
    if (tn_env_word(&t, words) == 4 && tn_env_end(t)) {
        *(uint64_t *)r->to = UINT64_MAX;
        return true;
    }
    if (strchr(s, '-') || !tn_env_ulong(&s, &v))
        return false;
    if (!tn_env_end(s)) {
        int w = tn_env_word(&s, words);
        if (w < 0 || w > 3 || !tn_env_end(s))
            return false;
        factor = ns[w];
    }
    *(uint64_t *)r->to = v > UINT64_MAX / factor ? UINT64_MAX : v * factor;
    return true;
}

bool tn_env_parse_spin_time(const struct tn_env_row *r, const char *s)
{
    return tn_env_parse_time(r, s) && (tn_global.spin_set = true);
}

bool tn_env_parse_ignored(const struct tn_env_row *r, const char *s)
{
    (void)r;
    (void)s;
    return true;
}
