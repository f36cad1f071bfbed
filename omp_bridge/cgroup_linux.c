/* SPDX-License-Identifier: MIT */
/* What else limits the process: CPU quota and pids.max of its cgroups (v1, v2, or both at once), and what runs on the
 * machine now. Any thread; every function opens files, none keeps one open. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "icv.h"
#include "msg.h"
#include "thread.h"
#include "topo.h"

#define FILE_MAX (64 * 1024) /* of mountinfo we read so much; the hierarchy of cgroups is mounted early */

/* What a walk works in. Not on the stack: the first region may be on a thread that has 16 KiB of it. */
struct walk {
    char text[FILE_MAX];      /* a file */
    char path[PATH_MAX];      /* our cgroup, as /proc/self/cgroup names it */
    char dir[PATH_MAX + 32];  /* the folder looked at, and room behind it for the name of a file in it */
};

/* Cuts the next field off *p at any of `stops`, as strsep. Never NULL. */
static char *field(char **p, const char *stops)
{
    char *f = strsep(p, stops);
    return f ? f : (char *)"";
}

static bool has_word(char *list, const char *word)
{
    for (char *w; (w = strsep(&list, ",")) != NULL;)
        if (strcmp(w, word) == 0)
            return true;
    return false;
}

/* Our cgroup of `controller` as /proc/self/cgroup names it ("": version 2) into w->path. Lines are number:names:path. */
static bool own_path(struct walk *w, const char *controller)
{
    char *text = w->text;
    if (tn_topo_read("/proc/self/cgroup", text, sizeof w->text) <= 0)
        return false;
    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        field(&line, ":");
        char *names = field(&line, ":");
        if (!line || !(*controller ? has_word(names, controller) : *names == '\0'))
            continue;
        struct tn_buf b = tn_buf_init(w->path, sizeof w->path);
        tn_buf_fmt(&b, "%s", line);
        return b.len < sizeof w->path;
    }
    return false;
}

/* The folder with the files of our cgroup of `controller` into w->dir; returns the length of the mount point in it, above
 * which there is nothing to read, or 0. */
static size_t own_dir(struct walk *w, const char *controller)
{
    char *text = w->text;
    if (!own_path(w, controller) || tn_topo_read("/proc/self/mountinfo", text, sizeof w->text) <= 0)
        return 0;
    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        char *dash = strstr(line, " - ");
        if (!dash)
            continue;
        *dash = '\0';
        dash += 3;
        char *type = field(&dash, " ");
        field(&dash, " "); /* source; the rest are the options, where version 1 lists its controllers */
        if (strcmp(type, *controller ? "cgroup" : "cgroup2") != 0 || (*controller && !(dash && has_word(dash, controller))))
            continue;
        for (int skip = 0; skip < 3; skip++)
            field(&line, " ");
        char *root = field(&line, " "), *mount = field(&line, " ");
        size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
        const char *below = strncmp(w->path, root, n) == 0 && strcmp(w->path + n, "/") != 0 ? w->path + n : "";
        struct tn_buf b = tn_buf_init(w->dir, PATH_MAX);
        tn_buf_fmt(&b, "%s%s", mount, below);
        return b.len < PATH_MAX ? strlen(mount) : 0;
    }
    return 0;
}

/* Calls `look` with our cgroup's folder of `controller` and each one above it that is visible. */
static void walk(const char *controller, void (*look)(char *dir, void *arg), void *arg)
{
    struct walk *w = malloc(sizeof *w);
    if (!w)
        return;
    size_t top = own_dir(w, controller);
    for (size_t n = top ? strlen(w->dir) : 0; n >= top && n > 0; n--) {
        if (w->dir[n] != '\0' && w->dir[n] != '/')
            continue;
        w->dir[n] = '\0';
        look(w->dir, arg);
    }
    free(w);
}

/* The number in dir/name; `rest`: what stands behind it. -1: no file, or no number ("max"). */
static long read_number(char *dir, const char *name, char *text, size_t size, char **rest)
{
    size_t n = strlen(dir);
    struct tn_buf b = tn_buf_init(dir + n, sizeof((struct walk *)NULL)->dir - n);
    tn_buf_fmt(&b, "/%s", name);
    ssize_t len = tn_topo_read(dir, text, size);
    dir[n] = '\0';
    if (len <= 0)
        return -1;
    long v = strtol(text, rest, 10);
    return *rest == text ? -1 : v;
}

/* The tightest quota so far, and whose. */
struct quota {
    long us, period; /* 0: none */
    char stat[PATH_MAX + 32];
};

static void take_quota(const char *dir, long us, long period, struct quota *least)
{
    if (us <= 0 || period <= 0 || (least->period && (double)us / (double)period >= (double)least->us / (double)least->period))
        return;
    least->us = us;
    least->period = period;
    struct tn_buf b = tn_buf_init(least->stat, sizeof least->stat);
    tn_buf_fmt(&b, "%s/cpu.stat", dir);
}

static void look_quota_v2(char *dir, void *arg)
{
    char text[64], *rest;
    long quota = read_number(dir, "cpu.max", text, sizeof text, &rest);
    if (quota > 0)
        take_quota(dir, quota, strtol(rest, NULL, 10), arg);
}

static void look_quota_v1(char *dir, void *arg)
{
    char text[64], *rest;
    long quota = read_number(dir, "cpu.cfs_quota_us", text, sizeof text, &rest);
    if (quota > 0)
        take_quota(dir, quota, read_number(dir, "cpu.cfs_period_us", text, sizeof text, &rest), arg);
}

unsigned tn_topo_quota(void)
{
    struct quota *least = calloc(1, sizeof *least);
    if (!least)
        return 0;
    walk("cpu", look_quota_v1, least);
    walk("", look_quota_v2, least);
    unsigned procs = least->period ? (unsigned)((least->us + least->period - 1) / least->period) : 0;
    if (procs)
        tn_topo_watch_throttle(least->stat);
    free(least);
    return procs;
}

/* The cgroup's account of the periods in which its quota stopped it: the file, what it said last, and when that was new. No
 * lock: `at` is written before `count` (release, acquire), so who finds no news after another thread has the time of the news. An
 * answer read late may count as news again: it is advice, and costs a mode of waiting for some milliseconds. */
static struct {
    char file[512]; /* "": no quota */
    _Atomic uint64_t count, at;
} throttle;

void tn_topo_watch_throttle(const char *file)
{
    struct tn_buf b = tn_buf_init(throttle.file, sizeof throttle.file);
    tn_buf_fmt(&b, "%s", file);
    if (b.len >= sizeof throttle.file)
        throttle.file[0] = '\0';
    tn_topo_throttled_since(1);
    tn_store(&throttle.at, 0); /* what was before does not count */
}

bool tn_topo_throttled_since(uint64_t since_ns)
{
    static const char name[] = "nr_throttled ";
    char text[1024];
    if (!throttle.file[0] || tn_topo_read(throttle.file, text, sizeof text) <= 0)
        return false;
    const char *found = strstr(text, name);
    const uint64_t count = found ? strtoull(found + sizeof name - 1, NULL, 10) : 0;
    if (count != tn_load_acq(&throttle.count)) {
        tn_store(&throttle.at, tn_now_ns());
        tn_store_rel(&throttle.count, count);
    }
    return tn_load(&throttle.at) >= since_ns; /* never: 0 */
}

static void look_pids(char *dir, void *arg)
{
    char text[64], *rest;
    unsigned long *least = arg;
    long max = read_number(dir, "pids.max", text, sizeof text, &rest);
    if (max > 0 && (*least == 0 || (unsigned long)max < *least))
        *least = (unsigned long)max;
}

unsigned long tn_topo_pids_max(void)
{
    unsigned long least = 0;
    walk("pids", look_pids, &least);
    walk("", look_pids, &least);
    return least;
}

/* Threads of the team-to-be that run already: the caller, and workers that have not gone to sleep. */
static unsigned own_running(void)
{
    unsigned n = 1;
    for (struct tn_thread *t = tn_thread_all_lock(); t; t = t->next_all)
        n += t->is_worker && !tn_load(&t->park.asleep);
    tn_thread_all_unlock();
    return n;
}

#define FREE_PROCS_NS 2000000 /* for so long: looking takes 10 us, as long as several regions */

/* /proc/loadavg: three averages, then running/all. */
static unsigned free_procs(void)
{
    char text[128], *p = text;
    if (tn_topo_read("/proc/loadavg", text, sizeof text) <= 0)
        return tn_global.procs;
    for (int skip = 0; skip < 3; skip++)
        field(&p, " ");
    unsigned running = p ? (unsigned)strtoul(p, NULL, 10) : 0, own = own_running();
    unsigned others = running > own ? running - own : 0;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned machine = online > 0 ? (unsigned)online : tn_global.procs;
    unsigned room = machine > others ? machine - others : 1;
    return room < tn_global.procs ? room : tn_global.procs;
}

unsigned tn_topo_free_procs(void)
{
    static _Atomic uint64_t looked_ns; /* any thread writes, and any mixture will do */
    static _Atomic unsigned room;
    uint64_t now = tn_now_ns();
    if (tn_load(&room) == 0 || now - tn_load(&looked_ns) > FREE_PROCS_NS) {
        tn_store(&room, free_procs());
        tn_store(&looked_ns, now);
    }
    return tn_load(&room);
}
