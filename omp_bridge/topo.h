/* SPDX-License-Identifier: MIT */
/* What the machine is and what of it the process was given. Sets of CPUs have any size; `size` is in bytes, as for the
 * CPU_*_S macros. tn_topo_start comes first (one thread, no file opened); everything else may be asked by any thread.
 * Files are opened by the functions that say so, and never in a process that uses no OpenMP. */
#ifndef TN_TOPO_H
#define TN_TOPO_H

#include <sched.h>
#include <sys/types.h>

#include "base.h"

#define TN_SET_MAX 1024 /* bytes: 8,192 CPUs, the most Linux can be built for; these stand on stacks of 16 KiB */
union tn_set {
    cpu_set_t set;
    char bytes[TN_SET_MAX];
};

/* Fixes the set the process was given: the calling thread's. Sets tn_global.procs. The first call counts. */
void tn_topo_start(void);
/* That set; never changes afterwards. */
const cpu_set_t *tn_topo_allowed(size_t *size);
/* The set of thread `tid` (0: the calling one) as the kernel has it now, into `out`. False: no such thread. */
bool tn_topo_get_set(pid_t tid, cpu_set_t *out);
/* Bytes that hold every CPU number of this kernel. */
size_t tn_topo_set_size(void);
/* CPU numbers the kernel knows are below this. */
unsigned long tn_topo_cpu_limit(void);
/* Room for a set, all zero. Fatal without memory. free() it. */
cpu_set_t *tn_topo_new_set(void);

/* Groups of the allowed CPUs, ordered by their first CPU (nodes: by number; threads: core by core). Reads /sys. */
enum tn_topo_level { TN_TOPO_THREADS, TN_TOPO_CORES, TN_TOPO_LL_CACHES, TN_TOPO_SOCKETS, TN_TOPO_NUMA };
/* Calls `each` with every group, until it says false. */
void tn_topo_groups(enum tn_topo_level level, bool (*each)(void *, const cpu_set_t *), void *arg);

/* CPU quota of the cgroups we are in (v1 or v2, the tightest on the way up): processors' worth rounded up, at least 1;
 * 0: none. Reads files. */
unsigned tn_topo_quota(void);
/* Has that quota stopped the process since `since_ns` (clock.h; not 0)? Where it has since the last call, yes. Reads a file where
 * there is a quota; any thread. */
bool tn_topo_throttled_since(uint64_t since_ns);
/* Where it looks: the cpu.stat of the cgroup with the quota (one thread, before the others; tn_topo_quota does it). */
void tn_topo_watch_throttle(const char *file);
/* For dyn-var: processors of the set that nobody else uses now, or did 2 ms ago, this thread's included; at least 1. Reads a file. */
unsigned tn_topo_free_procs(void);
/* pids.max of the cgroup, 0: none. Reads files. */
unsigned long tn_topo_pids_max(void);

/* For the files behind this header: reads a file of the kernel's into `text`, terminated. Its length, or -1. Not for large files. */
ssize_t tn_topo_read(const char *path, char *text, size_t size);

#endif
