/* SPDX-License-Identifier: MIT */
/* CPU sets and what /sys says about their CPUs. Any thread after tn_topo_start; nothing changes afterwards. What /sys does
 * not say is taken as: a CPU is a core of its own, all CPUs are one socket, one node. */
#define _GNU_SOURCE
#include "topo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "icv.h"
#include "msg.h"

static cpu_set_t first_kilobit; /* where the set lives unless the machine is larger */
static cpu_set_t *allowed = &first_kilobit;
static size_t set_size = sizeof(cpu_set_t);

static unsigned long cpu_limit;

void tn_topo_start(void)
{
    if (cpu_limit)
        return;
    /* The kernel refuses a buffer that cannot hold all CPUs it may ever have (EINVAL): the first one it takes tells how
     * many these are. */
    size_t bytes = sizeof(long);
    while (syscall(SYS_sched_getaffinity, 0, bytes, allowed) < 0) {
        if (errno != EINVAL || bytes >= TN_SET_MAX) {
            CPU_SET_S(0, set_size, allowed); /* no such call here: one processor is what we are sure of */
            break;
        }
        bytes *= 2;
        if (bytes > set_size) {
            if (allowed != &first_kilobit)
                free(allowed);
            set_size = bytes;
            allowed = tn_topo_new_set();
        }
    }
    cpu_limit = bytes * 8;
    int count = CPU_COUNT_S(set_size, allowed);
    tn_global.procs = count > 0 ? (unsigned)count : 1;
}

unsigned long tn_topo_cpu_limit(void)
{
    return cpu_limit;
}

const cpu_set_t *tn_topo_allowed(size_t *size)
{
    *size = set_size;
    return allowed;
}

size_t tn_topo_set_size(void)
{
    return set_size;
}

cpu_set_t *tn_topo_new_set(void)
{
    cpu_set_t *set = calloc(1, set_size);
    if (!set)
        tn_fatal("out of memory for a set of CPUs (%zu bytes)", set_size);
    return set;
}

bool tn_topo_get_set(pid_t tid, cpu_set_t *out)
{
    memset(out, 0, set_size);
    return sched_getaffinity(tid, set_size, out) == 0;
}

ssize_t tn_topo_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n, len = 0;
    while ((size_t)len < size - 1 && (n = read(fd, text + len, size - 1 - (size_t)len)) != 0)
        if (n > 0)
            len += n;
        else if (errno != EINTR)
            break;
    close(fd);
    text[len] = '\0';
    return len;
}

/* The numbers of a list such as 0-3,8 into `set`; those beyond its size do not matter. False: no such file. */
static bool read_list(const char *path, cpu_set_t *set)
{
    char text[4096], *p = text;
    memset(set, 0, set_size);
    if (tn_topo_read(path, text, sizeof text) <= 0)
        return false;
    while (*p >= '0' && *p <= '9') {
        unsigned long from = strtoul(p, &p, 10), to = from;
        if (*p == '-')
            to = strtoul(p + 1, &p, 10);
        for (; from <= to && from < set_size * 8; from++)
            CPU_SET_S(from, set_size, set);
        if (*p == ',')
            p++;
    }
    return true;
}

static bool cpu_list(cpu_set_t *set, size_t cpu, const char *file)
{
    char path[128];
    struct tn_buf b = tn_buf_init(path, sizeof path);
    tn_buf_fmt(&b, "/sys/devices/system/cpu/cpu%zu/%s", cpu, file);
    return read_list(path, set);
}

/* CPUs that share the highest level of cache with `cpu`. */
static bool cache_list(cpu_set_t *set, size_t cpu)
{
    char path[128], text[32];
    unsigned best = 0, best_level = 0;
    for (unsigned i = 0;; i++) {
        struct tn_buf b = tn_buf_init(path, sizeof path);
        tn_buf_fmt(&b, "/sys/devices/system/cpu/cpu%zu/cache/index%u/level", cpu, i);
        if (tn_topo_read(path, text, sizeof text) <= 0)
            break;
        unsigned level = (unsigned)strtoul(text, NULL, 10);
        if (level > best_level) {
            best_level = level;
            best = i;
        }
    }
    if (best_level == 0)
        return false;
    struct tn_buf b = tn_buf_init(path, sizeof path);
    tn_buf_fmt(&b, "cache/index%u/shared_cpu_list", best);
    return cpu_list(set, cpu, path);
}

static void group_of(enum tn_topo_level level, size_t cpu, cpu_set_t *set)
{
    bool known;
    if (level == TN_TOPO_SOCKETS) {
        known = cpu_list(set, cpu, "topology/package_cpus_list") || cpu_list(set, cpu, "topology/core_siblings_list");
        if (!known)
            memcpy(set, allowed, set_size);
    } else if (level == TN_TOPO_LL_CACHES) {
        known = cache_list(set, cpu);
    } else {
        known = cpu_list(set, cpu, "topology/core_cpus_list") || cpu_list(set, cpu, "topology/thread_siblings_list");
    }
    CPU_AND_S(set_size, set, set, allowed);
    if (level != TN_TOPO_SOCKETS && !known)
        CPU_SET_S(cpu, set_size, set);
}

/* One group per CPU of `set`. False: enough. */
static bool singles(const cpu_set_t *set, bool (*each)(void *, const cpu_set_t *), void *arg)
{
    cpu_set_t *one = tn_topo_new_set();
    bool more = true;
    for (size_t cpu = 0; more && cpu < set_size * 8; cpu++) {
        if (!CPU_ISSET_S(cpu, set_size, set))
            continue;
        CPU_SET_S(cpu, set_size, one);
        more = each(arg, one);
        CPU_CLR_S(cpu, set_size, one);
    }
    free(one);
    return more;
}

static void nodes(bool (*each)(void *, const cpu_set_t *), void *arg)
{
    cpu_set_t *online = tn_topo_new_set(), *set = tn_topo_new_set();
    char path[64];
    bool more = true;
    if (!read_list("/sys/devices/system/node/online", online))
        each(arg, allowed);
    for (size_t node = 0; more && node < set_size * 8; node++) {
        if (!CPU_ISSET_S(node, set_size, online))
            continue;
        struct tn_buf b = tn_buf_init(path, sizeof path);
        tn_buf_fmt(&b, "/sys/devices/system/node/node%zu/cpulist", node);
        read_list(path, set);
        CPU_AND_S(set_size, set, set, allowed);
        if (CPU_COUNT_S(set_size, set) > 0)
            more = each(arg, set);
    }
    free(set);
    free(online);
}

void tn_topo_groups(enum tn_topo_level level, bool (*each)(void *, const cpu_set_t *), void *arg)
{
    if (level == TN_TOPO_NUMA) {
        nodes(each, arg);
        return;
    }
    cpu_set_t *left = tn_topo_new_set(), *set = tn_topo_new_set();
    memcpy(left, allowed, set_size);
    bool more = true;
    for (size_t cpu = 0; more && cpu < set_size * 8; cpu++) {
        if (!CPU_ISSET_S(cpu, set_size, left))
            continue;
        group_of(level, cpu, set);
        CPU_AND_S(set_size, set, set, left);
        CPU_XOR_S(set_size, left, left, set);
        CPU_CLR_S(cpu, set_size, left);
        more = level == TN_TOPO_THREADS ? singles(set, each, arg) : each(arg, set);
    }
    free(set);
    free(left);
}
