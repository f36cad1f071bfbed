/* SPDX-License-Identifier: MIT */
/* The system calls behind steer.h, direct: our own are not the program's calls that shim/ listens to. */
#define _GNU_SOURCE
#include "steer.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic bool refused; /* a sandbox closed over us: no mask can be put back, so none is changed any more */

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

static bool claim(struct tn_steer *s)
{
    uint32_t one = 1;
    return atomic_compare_exchange_strong_explicit(&s->away, &one, 2, memory_order_acquire, memory_order_relaxed);
}

/* False: somebody else has set the mask since, and it stays. Where the kernel does not tell, nobody has. */
static bool still_sent(const struct tn_steer *s, pid_t tid, cpu_set_t *now)
{
    return get_mask(tid, now) <= 0 || CPU_EQUAL(now, &s->sent);
}

static void put_back(const struct tn_steer *s, pid_t tid)
{
    if (set_mask(tid, &s->home) != 0 && errno != ESRCH && errno != EINVAL)
        tn_store(&refused, true);
}

/* Of *set only `cpu`; false: it is not in it or nothing changes. */
static bool only(cpu_set_t *set, int cpu)
{
    if (cpu < 0 || cpu >= TN_STEER_CPUS || !CPU_ISSET(cpu, set) || CPU_COUNT(set) == 1)
        return false;
    CPU_ZERO(set);
    CPU_SET(cpu, set);
    return true;
}

/* `home` less `cpu`, or `cpu` alone, becomes the mask of `tid`. */
static bool send(struct tn_steer *s, pid_t tid, int cpu)
{
    s->sent = s->home;
    s->from = cpu;
    return (s->with ? only(&s->sent, cpu) : without(&s->sent, cpu)) && set_mask(tid, &s->sent) == 0;
}

void tn_steer_before_sleep(struct tn_steer *s, int cpu, bool with)
{
    int saved = errno;
    if (tn_load(&s->away) == 0 && !tn_load(&refused) && get_mask(0, &s->home) > 0) {
        s->with = with;
        tn_store(&s->away, 2);
        bool sent = send(s, 0, cpu);
        s->slept = s->sent;
        s->steered = sent;
        tn_store_rel(&s->away, sent);
    }
    errno = saved;
}

void tn_steer_away(struct tn_steer *s, pid_t sleeper)
{
    int saved = errno, cpu = tn_cpu_now();
    uint32_t away = tn_load_acq(&s->away);
    if (away == 0) {
        if (!tn_load(&refused) && get_mask(sleeper, &s->home) > 0) {
            tn_store_rel(&s->away, 2); /* it may take a signal, and fork: tn_steer_fork_child reads `home` */
            tn_store_rel(&s->away, send(s, sleeper, cpu));
        }
    } else if (away == 1 && s->from != cpu && claim(s)) {
        cpu_set_t now;
        bool ours = still_sent(s, sleeper, &now), sent = ours && send(s, sleeper, cpu);
        if (ours && !sent)
            put_back(s, sleeper);
        tn_store_rel(&s->away, sent);
    }
    errno = saved;
}

void tn_steer_forget(struct tn_steer *s)
{
    if (claim(s))
        tn_store_rel(&s->away, 0);
}

bool tn_steer_home_slow(struct tn_steer *s, pid_t tid, struct tn_steer_masks *masks)
{
    int saved = errno;
    bool mine = claim(s);
    if (mine) {
        cpu_set_t now;
        if (still_sent(s, tid, &now)) {
            put_back(s, tid);
            now = s->home;
        }
        mine = CPU_COUNT(&now) > 0; /* else the kernel did not tell it */
        if (masks && mine)
            *masks = (struct tn_steer_masks){.now = now, .slept = s->slept, .steered = s->steered};
        s->looked = masks && mine;
        tn_store_rel(&s->away, 0); /* the thread may run on, and sleep again */
    }
    errno = saved;
    return mine;
}

void tn_steer_fork_child(struct tn_steer *s, bool own)
{
    cpu_set_t now;
    uint32_t away = tn_load_acq(&s->away);
    /* fork copies the mask before the memory: in between it may have been put back in the parent */
    if (away == 2 || ((away == 1 || !own) && CPU_COUNT(&s->sent) > 0 && still_sent(s, 0, &now)))
        put_back(s, 0);
    tn_store(&s->away, 0);
}

bool tn_steer_move(struct tn_steer *s, int cpu, bool with)
{
    int saved = errno;
    bool moved = false;
    if (!tn_load(&refused) && tn_load(&s->away) == 0 && get_mask(0, &s->home) > 0) {
        s->with = with;
        tn_store(&s->away, 2);
        cpu_set_t now;
        moved = send(s, 0, cpu);
        if (moved && still_sent(s, 0, &now))
            put_back(s, 0);
        tn_store_rel(&s->away, 0);
    }
    errno = saved;
    return moved;
}
