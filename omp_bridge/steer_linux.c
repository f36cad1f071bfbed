/* SPDX-License-Identifier: MIT */
/* The system calls behind steer.h, direct: our own are not the program's calls that shim/ listens to. */
#define _GNU_SOURCE
#include "steer.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long get_mask(pid_t tid, cpu_set_t *set)
{
    CPU_ZERO(set); /* the kernel writes as many bytes as it has */
    return syscall(SYS_sched_getaffinity, tid, sizeof *set, set);
}

static long set_mask(pid_t tid, const cpu_set_t *set)
{
    return syscall(SYS_sched_setaffinity, tid, sizeof *set, set);
}

int tn_cpu_now_slow(void)
{
    return sched_getcpu();
}

/* *set less `cpu`; false: nothing is left or nothing changes. */
static bool without(cpu_set_t *set, int cpu)
{
    if (cpu < 0 || cpu >= TN_STEER_CPUS || !CPU_ISSET(cpu, set))
        return false;
    CPU_CLR(cpu, set);
    return CPU_COUNT(set) > 0;
}

void tn_steer_away(struct tn_steer *s, pid_t sleeper)
{
    int saved = errno;
    if (!tn_load_acq(&s->away) && get_mask(sleeper, &s->home) > 0) {
        s->sent = s->home;
        if (without(&s->sent, tn_cpu_now()) && set_mask(sleeper, &s->sent) == 0)
            tn_store_rel(&s->away, true); /* pairs with the acquire in tn_steer_home */
    }
    errno = saved;
}

void tn_steer_home_slow(struct tn_steer *s)
{
    int saved = errno;
    cpu_set_t now;
    if (get_mask(0, &now) > 0 && CPU_EQUAL(&now, &s->sent))
        set_mask(0, &s->home);
    tn_store_rel(&s->away, false);
    errno = saved;
}

bool tn_steer_leave(int cpu)
{
    int saved = errno;
    cpu_set_t home, other;
    bool left = false;
    if (get_mask(0, &home) > 0) {
        other = home;
        left = without(&other, cpu) && set_mask(0, &other) == 0;
        if (left)
            set_mask(0, &home);
    }
    errno = saved;
    return left;
}
