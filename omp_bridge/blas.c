/* SPDX-License-Identifier: MIT */
/* Finding OpenBLAS libraries of the pthreads kind that take a threading callback, giving them ours while a session is
 * open, and running their jobs. OpenBLAS calls back from whatever thread called it: that thread's team serves, in a region
 * of exactly as many members as there are jobs, since level-3 jobs spin on each other's flags.
 *
 * Nothing is looked for again until an object was loaded into or taken out of the process. What has our callback stays
 * loaded: it is referenced. Jobs of two calls would share OpenBLAS's buffer of each job number: one call at a time. */
#define _GNU_SOURCE
#include "blas.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "crew.h"
#include "lock.h"
#include "msg.h"
#include "region.h"

/* As OpenBLAS's cblas.h has them (0.3.27 and newer). Job i: dojob(i, jobs + i * size, arg). */
typedef void dojob_fn(int number, void *job, int arg);
typedef void callback_fn(int sync, dojob_fn *dojob, int count, size_t size, void *jobs, int arg);
typedef void set_callback_fn(callback_fn *callback);
typedef int kind_fn(void);
#define KIND_PTHREADS 1 /* openblas_get_parallel() */

/* Names by build: 64-bit integers append 64_, the wheels of scientific Python put scipy_ in front. */
static const struct {
    const char *set, *kind;
} names[] = {
    {"openblas_set_threads_callback_function", "openblas_get_parallel"},
    {"openblas_set_threads_callback_function64_", "openblas_get_parallel64_"},
    {"scipy_openblas_set_threads_callback_function", "scipy_openblas_get_parallel"},
    {"scipy_openblas_set_threads_callback_function64_", "scipy_openblas_get_parallel64_"},
};

#define FOUND_MAX 8

static struct {
    struct tn_lock lock;
    unsigned sessions;       /* open, with workers */
    _Atomic uint64_t loads, unloads; /* the process's counts when we looked last */
    unsigned len;
    set_callback_fn *found[FOUND_MAX];
} bridge;

static struct tn_lock one_call;
static __thread bool in_call __attribute__((tls_model("initial-exec")));

/* --- Jobs ------------------------------------------------------------------------------------------------------------- */

struct call {
    dojob_fn *dojob;
    char *jobs;
    size_t size;
    unsigned count;
    int arg;
};

static void job_member(void *data)
{
    const struct call *c = data;
    const struct tn_member *m = tn_self()->cur;
    if (m->team->width < c->count)
        tn_fatal("OpenBLAS wants %u threads at once, and there are %u", c->count, m->team->width);
    in_call = true;
    c->dojob((int)m->num, c->jobs + m->num * c->size, c->arg);
    in_call = false;
}

/* A region of exactly that width, also where OpenMP would grant less (inside a region, under a limit). */
static void run_exactly(struct tn_thread *me, struct call *c)
{
    struct tn_task *t = me->task;
    if (tn_region_width(me, c->count) == c->count) {
        tn_region(job_member, c, c->count == t->icv->nthreads ? 0 : c->count, 0);
        return;
    }
    struct tn_icv *before = t->icv, open = *before;
    bool own = t->icv_own;
    open.id = tn_icv_new_id();
    open.dyn = false;
    open.thread_limit = TN_NO_LIMIT;
    open.max_active_levels = TN_LEVELS_MAX;
    t->icv = &open;
    t->icv_own = false;
    tn_region(job_member, c, c->count, 0);
    t->icv = before;
    t->icv_own = own;
}

static void run_jobs(int sync, dojob_fn *dojob, int count, size_t size, void *jobs, int arg)
{
    (void)sync; /* 1: done when we return */
    struct call c = {dojob, jobs, size, (unsigned)count, arg};
    bool outermost = !in_call;
    if (outermost)
        tn_lock_acquire(&one_call);
    if (count == 1)
        dojob(0, jobs, arg);
    else if (count > 1)
        run_exactly(tn_self_attach(), &c);
    in_call = !outermost;
    if (outermost)
        tn_lock_release(&one_call);
}

/* --- Finding: without the lock, since the loader has one of its own, which may be held around a session's opening ------ */

struct found {
    unsigned len;
    set_callback_fn *set[FOUND_MAX];
};

static void look_in(void *scope, struct found *f)
{
    for (size_t i = 0; i < sizeof names / sizeof *names && f->len < FOUND_MAX; i++) {
        set_callback_fn *set = (set_callback_fn *)(uintptr_t)dlsym(scope, names[i].set);
        kind_fn *kind = set ? (kind_fn *)(uintptr_t)dlsym(scope, names[i].kind) : NULL;
        Dl_info in;
        struct link_map *map;
        if (!kind || kind() != KIND_PTHREADS || !dladdr1((void *)(uintptr_t)set, &in, (void **)&map, RTLD_DL_LINKMAP))
            continue;
        if (map->l_name[0] == '\0' || dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD)) /* the program itself has no name */
            f->set[f->len++] = set;
    }
}

/* The process's counts of objects loaded and unloaded, and the files that carry OpenBLAS's name. */
struct paths {
    unsigned len;
    char path[FOUND_MAX][512];
};
struct objects {
    uint64_t loads, unloads;
    struct paths *paths; /* NULL: the counts will do */
};

static int see_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct objects *o = data;
    (void)size;
    o->loads = info->dlpi_adds;
    o->unloads = info->dlpi_subs;
    struct paths *p = o->paths;
    const char *base = p ? strrchr(info->dlpi_name, '/') : NULL;
    size_t length = base ? strlen(info->dlpi_name) : 0;
    if (base && p->len < FOUND_MAX && length < sizeof p->path[0] && strstr(base, "openblas"))
        memcpy(p->path[p->len++], info->dlpi_name, length + 1);
    return p == NULL;
}

/* Objects may have been opened out of the global scope (Python does): each that carries the name is asked. */
static TN_COLD void look(struct found *f)
{
    struct paths p;
    struct objects o = {.paths = &p};
    p.len = 0;
    dl_iterate_phdr(see_object, &o);
    look_in(RTLD_DEFAULT, f);
    for (unsigned i = 0; i < p.len; i++) {
        void *object = dlopen(p.path[i], RTLD_LAZY | RTLD_NOLOAD);
        if (object) {
            look_in(object, f);
            dlclose(object);
        }
    }
}

static void add(const struct found *f)
{
    for (unsigned i = 0; i < f->len; i++) {
        bool known = bridge.len == FOUND_MAX;
        for (unsigned k = 0; k < bridge.len; k++)
            known |= bridge.found[k] == f->set[i];
        if (!known)
            bridge.found[bridge.len++] = f->set[i];
    }
}

static void set_all(callback_fn *callback)
{
    for (unsigned i = 0; i < bridge.len; i++)
        bridge.found[i](callback);
}

void tn_blas_open(void)
{
    struct objects now = {.paths = NULL};
    struct found f = {0};
    dl_iterate_phdr(see_object, &now);
    bool changed = now.loads != tn_load(&bridge.loads) || now.unloads != tn_load(&bridge.unloads);
    if (tn_unlikely(changed))
        look(&f);
    tn_lock_acquire(&bridge.lock);
    tn_store(&bridge.loads, now.loads);
    tn_store(&bridge.unloads, now.unloads);
    add(&f);
    if (bridge.sessions++ == 0 || changed)
        set_all(run_jobs);
    tn_lock_release(&bridge.lock);
}

void tn_blas_close(void)
{
    tn_lock_acquire(&bridge.lock);
    if (--bridge.sessions == 0)
        set_all(NULL);
    tn_lock_release(&bridge.lock);
}

/* The parent's sessions are not ours: OpenBLAS goes back to threads of its own, which it makes anew after a fork. */
void tn_blas_fork_child(void)
{
    memset(&bridge.lock, 0, sizeof bridge.lock);
    memset(&one_call, 0, sizeof one_call);
    if (bridge.sessions)
        set_all(NULL);
    bridge.sessions = 0;
    in_call = false;
}
