/* SPDX-License-Identifier: MIT */
/* The counters behind profile.h and the table at the end. Counters are written by their thread alone; the registry's lock
 * guards `ended`, and keeps a thread's counters alive while they are summed. */
#define _GNU_SOURCE
#include "profile.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "msg.h"
#include "thread.h"

struct sum {
    uint64_t count, ns;
};

static struct sum ended[TN_PHASES]; /* of threads that have ended */

uint64_t tn_profile_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct tn_profile *counters(struct tn_thread *me)
{
    if (!me->profile && me != &tn_thread_none) {
        struct tn_profile *p = calloc(1, sizeof *p);
        tn_thread_all_lock(); /* the sum may be under way */
        me->profile = p;
        tn_thread_all_unlock();
    }
    return me->profile;
}

uint64_t tn_profile_lap_slow(struct tn_thread *me, enum tn_phase phase, uint64_t since)
{
    uint64_t now = tn_profile_now();
    struct tn_profile *p = counters(me);
    if (p) {
        tn_store(&p->phase[phase].count, tn_load(&p->phase[phase].count) + 1);
        tn_store(&p->phase[phase].ns, tn_load(&p->phase[phase].ns) + (now - since));
    }
    return now;
}

/* In place of the region's function, on workers. */
static void run(void *data)
{
    uint64_t start = tn_profile_now();
    tn_self()->profile->fn(data);
    uint64_t end = tn_profile_lap_slow(tn_self(), TN_PHASE_BODY, start);
    if (tn_self()->profile)
        tn_self()->profile->docked_ns = end;
}

void tn_profile_serve(struct tn_thread *worker)
{
    struct tn_profile *p = counters(worker);
    if (!p)
        return;
    tn_profile_lap(worker, TN_PHASE_DOCK, p->docked_ns);
    p->fn = worker->dock.fn;
    worker->dock.fn = run;
}

static void add(struct sum *to, const struct tn_profile *p)
{
    for (unsigned i = 0; p && i < TN_PHASES; i++) {
        to[i].count += tn_load(&p->phase[i].count);
        to[i].ns += tn_load(&p->phase[i].ns);
    }
}

void tn_profile_thread_end(struct tn_thread *t)
{
    add(ended, t->profile);
    free(t->profile);
    t->profile = NULL;
}

void tn_profile_fork_child(void)
{
    memset(ended, 0, sizeof ended);
}

/* A number right-aligned in `width` columns. */
static void column(struct tn_buf *b, unsigned width, unsigned long value)
{
    char text[24];
    struct tn_buf number = tn_buf_init(text, sizeof text);
    tn_buf_fmt(&number, "%lu", value);
    for (size_t n = number.len; n < width; n++)
        tn_buf_put(b, " ", 1);
    tn_buf_put(b, text, number.len);
}

static void line(const char *name, unsigned long count, unsigned long us, unsigned long each_ns)
{
    static const char pad[] = "                ";
    char text[128];
    struct tn_buf b = tn_buf_init(text, sizeof text);
    tn_buf_fmt(&b, "tenure: %s", name);
    tn_buf_put(&b, pad, sizeof pad - 1 - strlen(name));
    column(&b, 12, count);
    tn_buf_fmt(&b, " times");
    column(&b, 14, us);
    tn_buf_fmt(&b, " us");
    column(&b, 12, each_ns);
    tn_buf_fmt(&b, " ns each\n");
    tn_buf_flush(&b);
}

__attribute__((destructor)) static void print(void)
{
    static const char *const name[TN_PHASES] = {"width decision", "crew acquire", "team lookup", "affinity",
                                                "release",        "body",         "join",        "dock"};
    if (!tn_global.profile)
        return;
    struct sum sum[TN_PHASES];
    const struct tn_thread *t = tn_thread_all_lock();
    memcpy(sum, ended, sizeof sum);
    for (; t; t = t->next_all)
        add(sum, t->profile);
    tn_thread_all_unlock();
    if (sum[TN_PHASE_WIDTH].count == 0)
        return;
    char text[64];
    struct tn_buf b = tn_buf_init(text, sizeof text);
    tn_buf_fmt(&b, "tenure: profile of process %d, all threads\n", (int)getpid());
    tn_buf_flush(&b);
    for (unsigned i = 0; i < TN_PHASES; i++)
        line(name[i], sum[i].count, sum[i].ns / 1000, sum[i].count ? sum[i].ns / sum[i].count : 0);
}
