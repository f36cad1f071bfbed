/* SPDX-License-Identifier: MIT */
/* OMP_PLACES and GOMP_CPU_AFFINITY. Called while the environment is read, by one thread.
 *
 *   list     = names ["(" count ")"] | entry {"," entry}
 *   entry    = place [":" count [":" stride]] | "!" place
 *   place    = "{" part {"," part} "}" | number
 *   part     = number [":" count [":" stride]] | "!" number */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "places.h"
#include "topo.h"

#define PLACES_MAX 65536 /* in one list; more is a mistake */

/* Places as written, before CPUs that we may not use are taken out. */
struct list {
    cpu_set_t **set;
    unsigned len, cap;
};

static void list_add(struct list *l, const cpu_set_t *set)
{
    if (l->len == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 16;
        l->set = realloc(l->set, l->cap * sizeof *l->set);
        if (!l->set)
            tn_fatal("out of memory for %u places", l->cap);
    }
    l->set[l->len] = tn_topo_new_set();
    memcpy(l->set[l->len++], set, tn_topo_set_size());
}

static bool list_remove(struct list *l, const cpu_set_t *set)
{
    for (unsigned i = 0; i < l->len; i++) {
        if (memcmp(l->set[i], set, tn_topo_set_size()) != 0)
            continue;
        free(l->set[i]);
        memmove(&l->set[i], &l->set[i + 1], (--l->len - i) * sizeof *l->set);
        return true;
    }
    tn_env_complain("Trying to remove a non-existing place from list of places");
    return false;
}

static void list_free(struct list *l)
{
    for (unsigned i = 0; i < l->len; i++)
        free(l->set[i]);
    free(l->set);
}

static bool take(const char **s, char c)
{
    tn_env_space(s);
    if (**s != c)
        return false;
    ++*s;
    return true;
}

/* [":" count [":" stride]] */
static bool extent(const char **s, unsigned long *count, long *stride)
{
    *count = 1;
    *stride = 1;
    if (!take(s, ':'))
        return true;
    if (!tn_env_ulong(s, count) || *count == 0)
        return false;
    return !take(s, ':') || tn_env_long(s, stride);
}

static bool add_range(cpu_set_t *set, unsigned long cpu, unsigned long count, long stride)
{
    unsigned long limit = tn_topo_cpu_limit();
    for (count = stride ? count : 1;; cpu += (unsigned long)stride) {
        if (cpu >= limit) {
            tn_env_complain("Logical CPU number %lu out of range", cpu);
            return false;
        }
        CPU_SET_S(cpu, tn_topo_set_size(), set);
        if (--count == 0)
            return true;
        if (stride < 0 && cpu < -(unsigned long)stride) {
            tn_env_complain("Logical CPU number %lu+%ld out of range", cpu, stride);
            return false;
        }
    }
}

/* What stands between braces. What is taken out is taken out when all is in. */
static bool parts(const char **s, cpu_set_t *set)
{
    cpu_set_t *without = tn_topo_new_set();
    size_t size = tn_topo_set_size();
    bool ok;
    do {
        unsigned long cpu, count;
        long stride;
        if (take(s, '!')) {
            ok = tn_env_ulong(s, &cpu) && cpu < tn_topo_cpu_limit();
            if (ok)
                CPU_SET_S(cpu, size, without);
        } else {
            ok = tn_env_ulong(s, &cpu) && extent(s, &count, &stride) && add_range(set, cpu, count, stride);
        }
    } while (ok && take(s, ','));
    ok = ok && take(s, '}');
    for (unsigned long cpu = 0; ok && cpu < tn_topo_cpu_limit(); cpu++) {
        if (!CPU_ISSET_S(cpu, size, without))
            continue;
        ok = CPU_ISSET_S(cpu, size, set);
        if (!ok)
            tn_env_complain("Logical CPU %lu to be removed is not in the set", cpu);
        CPU_CLR_S(cpu, size, set);
    }
    free(without);
    return ok;
}

/* All CPUs of `set` moved by `stride`. */
static bool shift(cpu_set_t *set, long stride)
{
    size_t size = tn_topo_set_size();
    cpu_set_t *to = tn_topo_new_set();
    bool ok = true;
    for (unsigned long cpu = 0; ok && cpu < tn_topo_cpu_limit(); cpu++) {
        if (!CPU_ISSET_S(cpu, size, set))
            continue;
        ok = cpu + (unsigned long)stride < tn_topo_cpu_limit();
        if (ok)
            CPU_SET_S(cpu + (unsigned long)stride, size, to);
        else
            tn_env_complain("Logical CPU number %lu+%ld out of range", cpu, stride);
    }
    memcpy(set, to, size);
    free(to);
    return ok;
}

static bool entry(const char **s, struct list *l)
{
    cpu_set_t *set = tn_topo_new_set();
    unsigned long cpu, count;
    long stride;
    bool remove = take(s, '!');
    bool ok = take(s, '{') ? parts(s, set) : tn_env_ulong(s, &cpu) && add_range(set, cpu, 1, 1);
    if (ok && remove) {
        ok = list_remove(l, set);
    } else if (ok) {
        ok = extent(s, &count, &stride) && count < PLACES_MAX && l->len + count < PLACES_MAX;
        for (unsigned long i = 0; ok && i < count; i++) {
            ok = i == 0 || shift(set, stride);
            if (ok)
                list_add(l, set);
        }
    }
    free(set);
    return ok;
}

/* Of the list, what we may use. */
static bool settle(struct list *l)
{
    size_t size;
    const cpu_set_t *allowed = tn_topo_allowed(&size);
    if (l->len == 0) {
        tn_env_complain("All places have been removed");
        return false;
    }
    for (unsigned i = 0; i < l->len; i++) {
        CPU_AND_S(size, l->set[i], l->set[i], allowed);
        if (CPU_COUNT_S(size, l->set[i]) > 0)
            tn_places_add(l->set[i]);
    }
    if (tn_places_len == 0)
        tn_env_complain("None of the places contain usable logical CPUs");
    else if (tn_places_len < l->len)
        tn_env_complain("Number of places reduced from %u to %u because some places didn't contain any usable logical CPUs",
                        l->len, tn_places_len);
    return tn_places_len > 0;
}

static bool add_group(void *left, const cpu_set_t *set)
{
    unsigned long *n = left;
    tn_places_add(set);
    return --*n > 0;
}

bool tn_env_places(const char *text)
{
    static const char *const names[] = {[TN_TOPO_THREADS] = "threads",     [TN_TOPO_CORES] = "cores",
                                        [TN_TOPO_LL_CACHES] = "ll_caches", [TN_TOPO_SOCKETS] = "sockets",
                                        [TN_TOPO_NUMA] = "numa_domains",   NULL};
    int level = tn_env_word(&text, names);
    if (level >= 0) {
        unsigned long count = (unsigned long)-1;
        if (take(&text, '(') && (!tn_env_ulong(&text, &count) || !take(&text, ')')))
            return false;
        if (!tn_env_end(text))
            return false;
        if (count == 0)
            tn_env_complain("Error reading core/socket topology");
        else
            tn_topo_groups((enum tn_topo_level)level, add_group, &count);
        return true;
    }
    struct list l = {0};
    bool ok;
    do
        ok = entry(&text, &l);
    while (ok && take(&text, ','));
    ok = ok && tn_env_end(text) && settle(&l);
    list_free(&l);
    return ok;
}

void tn_env_places_default(void)
{
    unsigned long count = (unsigned long)-1;
    tn_topo_groups(TN_TOPO_THREADS, add_group, &count);
}

/* C notation (0x10, 010), as libgomp takes it here. */
static bool cpu_number(const char **s, unsigned long *v)
{
    char *end;
    tn_env_space(s);
    errno = 0;
    *v = strtoul(*s, &end, 0);
    bool ok = end != *s && !errno && *v < PLACES_MAX;
    *s = end;
    return ok;
}

/* number ["-" number [":" stride]], one place each; separated by space or a comma. CPUs need not be ours. */
bool tn_env_cpu_list(const char *text, bool keep)
{
    cpu_set_t *set = tn_topo_new_set();
    size_t size = tn_topo_set_size();
    bool ok;
    do {
        unsigned long from, to, stride = 1;
        ok = cpu_number(&text, &from);
        to = from;
        if (ok && *text == '-') {
            text++;
            ok = cpu_number(&text, &to) && to >= from;
            if (ok && *text == ':') {
                text++;
                ok = cpu_number(&text, &stride) && stride > 0;
            }
        }
        for (; ok && keep && from <= to && from < tn_topo_cpu_limit(); from += stride) {
            CPU_SET_S(from, size, set);
            tn_places_add(set);
            CPU_CLR_S(from, size, set);
        }
        const char *here = text;
        if (ok && !take(&text, ',') && *text != '\0')
            ok = text > here; /* space will do */
        else if (ok && *text == '\0' && text[-1] == ',')
            ok = false;
    } while (ok && *text != '\0');
    free(set);
    if (!ok && keep)
        tn_places_clear();
    return ok;
}

/* Runs of CPUs as first:count. Long lists go out piece by piece. */
void tn_env_places_print(struct tn_buf *b)
{
    size_t size = tn_topo_set_size(), bits = size * 8;
    for (unsigned place = 0; place < tn_places_len; place++) {
        const cpu_set_t *set = tn_place_set(place);
        tn_buf_fmt(b, place ? ",{" : "{");
        const char *comma = "";
        for (size_t first = 0; first < bits; first++) {
            size_t n = 0;
            while (first + n < bits && CPU_ISSET_S(first + n, size, set))
                n++;
            if (n == 0)
                continue;
            tn_buf_fmt(b, n > 1 ? "%s%zu:%zu" : "%s%zu", comma, first, n);
            comma = ",";
            first += n;
        }
        tn_buf_put(b, "}", 1);
        if (b->len > b->size / 2)
            tn_buf_flush(b);
    }
}
