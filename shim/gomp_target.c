/* SPDX-License-Identifier: MIT */
/* target and teams constructs. Any thread. A construct that names a device of the real libgomp is handed on to it; all
 * others run here, on the host: mapping is nothing then, the region is an initial thread of its own (level 0, control
 * variables as the environment set them), and regions inside run on Tenure. Order among tasks (depend, nowait) is always ours,
 * whoever runs the region: the real libgomp knows nothing of our tasks. */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "gomp_abi.h"
#include "icv.h"
#include "msg.h"
#include "omp_abi.h"
#include "real.h"
#include "target_abi.h"
#include "team.h"
#include "thread.h"

/* --- Which device ------------------------------------------------------------------------------------------------- */

/* The device number to hand on, or -1: the host. Stops where OMP_TARGET_OFFLOAD forbids the host. */
static int device_of(int device)
{
    const struct tn_icv *icv = tn_icv_read(); /* also makes tn_global valid */
    if (device == TN_DEVICE_ICV)
        device = icv->default_device;
    if (device < 0 || device == tn_real_devices())
        return -1;
    return tn_device_exists(device) ? device : -1;
}

/* --- The host ----------------------------------------------------------------------------------------------------- */

/* One target construct, as compiled code describes it. */
struct target {
    int device; /* -1: host */
    void (*fn)(void *);
    size_t mapnum;
    void **hostaddrs;
    size_t *sizes;
    unsigned short *kinds;
    unsigned flags;
    void **args;
};

/* An absent optional argument of Fortran has no address. */
static bool is_firstprivate(const struct target *t, size_t i)
{
    return (t->kinds[i] & 0xff) == TN_MAP_FIRSTPRIVATE && t->hostaddrs[i];
}

/* Bytes for copies of the firstprivate variables, each at its alignment. */
static size_t firstprivate_size(const struct target *t)
{
    size_t total = 0;
    for (size_t i = 0; i < t->mapnum; i++)
        if (is_firstprivate(t, i))
            total += t->sizes[i] + ((size_t)1 << (t->kinds[i] >> 8)) - 1;
    return total;
}

/* Copies them into `room` and lets the map name the copies: the region may write to them. */
static void firstprivate_copy(struct target *t, char *room)
{
    for (size_t i = 0; i < t->mapnum; i++) {
        if (!is_firstprivate(t, i))
            continue;
        size_t align = (size_t)1 << (t->kinds[i] >> 8);
        room = (char *)(((uintptr_t)room + align - 1) & ~(uintptr_t)(align - 1));
        if (t->sizes[i])
            memcpy(room, t->hostaddrs[i], t->sizes[i]);
        t->hostaddrs[i] = room;
        room += t->sizes[i];
    }
}

/* The thread_limit that the construct's argument list gives for any device, or 0. Each word: device in the low 7 bits, then
 * "the value is the next word", the name of the argument, and else the value from bit 16 on. */
static unsigned arg_thread_limit(void **args)
{
    unsigned limit = 0;
    while (args && *args) {
        uintptr_t word = (uintptr_t)*args++;
        intptr_t value = (intptr_t)word >> TN_TARGET_ARG_SHIFT;
        if (word & TN_TARGET_ARG_NEXT)
            value = (intptr_t)*args++;
        if ((word & TN_TARGET_ARG_ID) == TN_TARGET_ARG_THREAD_LIMIT && (word & TN_TARGET_ARG_DEVICE) == 0 && value > 0)
            limit = value < (intptr_t)TN_NO_LIMIT ? (unsigned)value : TN_NO_LIMIT;
    }
    return limit;
}

static void run_on_host(void (*fn)(void *), void **hostaddrs, void **args)
{
    struct tn_thread *outer = tn_self_set_aside();
    unsigned limit = arg_thread_limit(args);
    if (limit)
        tn_icv_write(tn_self_attach())->thread_limit = limit;
    fn(hostaddrs);
    tn_self_take_back(outer);
}

typedef void target_ext(int, void (*)(void *), size_t, void **, size_t *, unsigned short *, unsigned, void **, void **);

/* Now, here. Firstprivate variables have their copies (host) or are copied by the device. */
static void run_target(const struct target *t)
{
    static struct tn_real real = {.name = "GOMP_target_ext", .version = "GOMP_4.5"};
    target_ext *f = t->device >= 0 ? (target_ext *)tn_real_find(&real) : NULL;
    if (f)
        f(t->device, t->fn, t->mapnum, t->hostaddrs, t->sizes, t->kinds, t->flags, NULL, t->args);
    else
        run_on_host(t->fn, t->hostaddrs, t->args);
}

/* --- nowait: a task ----------------------------------------------------------------------------------------------- */

static size_t args_size(void **args)
{
    size_t n = 0;
    while (args && args[n])
        n += (uintptr_t)args[n] & TN_TARGET_ARG_NEXT ? 2 : 1;
    return (n + 1) * sizeof *args;
}

static void *put(char **to, const void *from, size_t size)
{
    void *at = *to;
    if (size && from)
        memcpy(at, from, size);
    *to += (size + 15) & ~(size_t)15;
    return at;
}

static void run_deferred(void *data)
{
    struct target *t = *(struct target **)data;
    run_target(t);
    free(t);
}

/* The construct with everything it points to (the arrays are on the stack of a function that goes on) in one block. */
static struct target *target_save(const struct target *t)
{
    size_t n = t->mapnum, args = args_size(t->args), private_ = t->device < 0 ? firstprivate_size(t) : 0;
    char *to = malloc(sizeof *t + n * (sizeof *t->hostaddrs + sizeof *t->sizes + sizeof *t->kinds) + args + private_ + 5 * 16);
    if (!to)
        tn_fatal("out of memory for a deferred target region");
    struct target *s = put(&to, t, sizeof *t);
    s->hostaddrs = put(&to, t->hostaddrs, n * sizeof *t->hostaddrs);
    s->sizes = put(&to, t->sizes, n * sizeof *t->sizes);
    s->kinds = put(&to, t->kinds, n * sizeof *t->kinds);
    s->args = t->args ? put(&to, t->args, args) : NULL;
    if (private_)
        firstprivate_copy(s, to);
    return s;
}

/* `f(data)` as a task after what `depend` names; data is copied. */
static void defer(void (*f)(void *), void *data, size_t size, void **depend)
{
    GOMP_task(f, data, NULL, (long)size, (long)sizeof(void *), true, depend ? GOMP_TASK_FLAG_DEPEND : 0, depend, 0, NULL);
}

void GOMP_target_ext(int device, void (*fn)(void *), size_t mapnum, void **hostaddrs, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args)
{
    struct target t = {device_of(device), fn, mapnum, hostaddrs, sizes, kinds, flags & ~TN_TARGET_NOWAIT, args};
    if ((flags & TN_TARGET_NOWAIT) && tn_self()->cur->team->level > 0) {
        struct target *s = target_save(&t);
        defer(run_deferred, &s, sizeof s, depend);
        return;
    }
    if (depend)
        GOMP_taskwait_depend(depend);
    size_t room = t.device < 0 ? firstprivate_size(&t) : 0;
    if (room) {
        t.hostaddrs = alloca(mapnum * sizeof *hostaddrs);
        memcpy(t.hostaddrs, hostaddrs, mapnum * sizeof *hostaddrs);
        firstprivate_copy(&t, alloca(room));
    }
    run_target(&t);
}

/* --- Data constructs: nothing to do on the host but to keep their place among the tasks ---------------------------- */

struct data_op {
    struct tn_real *real;
    int device;
    unsigned flags;
    size_t mapnum;
    void **hostaddrs;
    size_t *sizes;
    unsigned short *kinds;
};

static void run_data_op(const struct data_op *d)
{
    typedef void op(int, size_t, void **, size_t *, unsigned short *, unsigned, void **);
    op *f = d->device >= 0 ? (op *)tn_real_find(d->real) : NULL;
    if (f)
        f(d->device, d->mapnum, d->hostaddrs, d->sizes, d->kinds, d->flags, NULL);
}

static void run_data_deferred(void *data)
{
    struct data_op *d = *(struct data_op **)data;
    run_data_op(d);
    free(d);
}

static void data_construct(struct data_op *d, void **depend)
{
    if ((d->flags & TN_TARGET_NOWAIT) && tn_self()->cur->team->level > 0 && (depend || d->device >= 0)) {
        size_t n = d->mapnum;
        char *to = malloc(sizeof *d + n * (sizeof *d->hostaddrs + sizeof *d->sizes + sizeof *d->kinds) + 4 * 16);
        if (!to)
            tn_fatal("out of memory for a deferred target data construct");
        d->flags &= ~TN_TARGET_NOWAIT;
        struct data_op *s = put(&to, d, sizeof *d);
        s->hostaddrs = put(&to, d->hostaddrs, n * sizeof *d->hostaddrs);
        s->sizes = put(&to, d->sizes, n * sizeof *d->sizes);
        s->kinds = put(&to, d->kinds, n * sizeof *d->kinds);
        defer(run_data_deferred, &s, sizeof s, depend);
        return;
    }
    d->flags &= ~TN_TARGET_NOWAIT;
    if (depend)
        GOMP_taskwait_depend(depend);
    run_data_op(d);
}

void GOMP_target_update_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds,
                            unsigned flags, void **depend)
{
    static struct tn_real real = {.name = "GOMP_target_update_ext", .version = "GOMP_4.5"};
    data_construct(&(struct data_op){&real, device_of(device), flags, mapnum, hostaddrs, sizes, kinds}, depend);
}

void GOMP_target_enter_exit_data(int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds,
                                 unsigned flags, void **depend)
{
    static struct tn_real real = {.name = "GOMP_target_enter_exit_data", .version = "GOMP_4.5"};
    data_construct(&(struct data_op){&real, device_of(device), flags, mapnum, hostaddrs, sizes, kinds}, depend);
}

/* Structured data regions nest, and their end names no device: where the real libgomp has devices it keeps the stack, for host
 * regions too. */
void GOMP_target_data_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds)
{
    static struct tn_real real = {.name = "GOMP_target_data_ext", .version = "GOMP_4.5"};
    int d = device_of(device);
    if (tn_real_devices() == 0)
        return;
    void (*f)(int, size_t, void **, size_t *, unsigned short *) =
        (void (*)(int, size_t, void **, size_t *, unsigned short *))tn_real_find(&real);
    f(d >= 0 ? d : TN_DEVICE_HOST, mapnum, hostaddrs, sizes, kinds);
}

void GOMP_target_end_data(void)
{
    static struct tn_real real = {.name = "GOMP_target_end_data", .version = "GOMP_4.0"};
    if (tn_real_devices() == 0)
        return;
    ((void (*)(void))tn_real_find(&real))();
}

/* --- As GCC 4.9 compiled them; it had no offload compilers, so they mean the host ---------------------------------- */

void GOMP_target(int device, void (*fn)(void *), const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
                 unsigned char *kinds)
{
    (void)unused, (void)mapnum, (void)sizes, (void)kinds;
    (void)device_of(device);
    run_on_host(fn, hostaddrs, NULL);
}

void GOMP_target_data(int device, const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
                      unsigned char *kinds)
{
    (void)unused, (void)mapnum, (void)hostaddrs, (void)sizes, (void)kinds;
    GOMP_target_data_ext(device, 0, NULL, NULL, NULL);
}

void GOMP_target_update(int device, const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
                        unsigned char *kinds)
{
    (void)unused, (void)mapnum, (void)hostaddrs, (void)sizes, (void)kinds;
    (void)device_of(device);
}

/* The host calls device functions at their own addresses. */
void *GOMP_target_map_indirect_ptr(void *ptr) { return ptr; }

/* --- teams -------------------------------------------------------------------------------------------------------- */

/* A league on the host: its teams one after the other, each on this thread. */
void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned num_teams, unsigned thread_limit, unsigned flags)
{
    (void)flags;
    struct tn_thread *me = tn_self_attach();
    unsigned was = me->task->icv->thread_limit;
    if (num_teams == 0)
        num_teams = tn_global.num_teams > 0 ? (unsigned)tn_global.num_teams : TN_TEAMS_DEFAULT;
    if (thread_limit == 0)
        thread_limit = (unsigned)tn_global.teams_thread_limit;
    if (thread_limit)
        tn_icv_write(me)->thread_limit = thread_limit < TN_NO_LIMIT ? thread_limit : TN_NO_LIMIT;
    me->num_teams = num_teams;
    for (me->team_num = 0; me->team_num < num_teams; me->team_num++)
        fn(data);
    me = tn_self_attach(); /* another record in a child of fork */
    me->num_teams = 1;
    me->team_num = 0;
    if (thread_limit)
        tn_icv_write(me)->thread_limit = was;
}

/* teams inside target: compiled code asks before each team of the league whether there is one more. */
bool GOMP_teams4(unsigned low, unsigned high, unsigned thread_limit, tn_bool_arg first)
{
    (void)low; /* the host gives as many teams as the upper bound allows */
    struct tn_thread *me = tn_self_attach();
    if (!tn_bool(first))
        return ++me->team_num < me->num_teams;
    if (thread_limit)
        tn_icv_write(me)->thread_limit = thread_limit < TN_NO_LIMIT ? thread_limit : TN_NO_LIMIT;
    me->num_teams = high ? high : 1;
    me->team_num = 0;
    return true;
}

void GOMP_teams(unsigned num_teams, unsigned thread_limit)
{
    (void)num_teams; /* compiled code of that age runs the region once */
    GOMP_teams4(1, 1, thread_limit, true);
}

/* --- Depend objects, interop -------------------------------------------------------------------------------------- */

/* A depend array of n depend objects: {0, n, out, mutexinoutset, in, addresses…}, depend objects counting as none of
 * the three. */
void tn_device_wait_depobjs(int n, void *depobjs)
{
    if (n <= 0 || !depobjs)
        return;
    void **depend = malloc((5 + (size_t)n) * sizeof *depend);
    if (!depend)
        tn_fatal("out of memory for %d dependences", n);
    depend[0] = depend[2] = depend[3] = depend[4] = NULL;
    depend[1] = (void *)(intptr_t)n;
    for (int i = 0; i < n; i++)
        depend[5 + i] = (char *)depobjs + (size_t)i * 2 * sizeof(void *);
    GOMP_taskwait_depend(depend);
    free(depend);
}

/* The host has no foreign runtime: an interop object is omp_interop_none before, during and after. */
void GOMP_interop(int device, int n_init, void ***init, const void *sync, const void *prefer, int n_use, void **use,
                  int n_destroy, void ***destroy, unsigned flags, void **depend)
{
    (void)device, (void)sync, (void)prefer, (void)n_use, (void)use, (void)flags;
    if (depend)
        GOMP_taskwait_depend(depend);
    for (int i = 0; i < n_init; i++)
        *init[i] = NULL;
    for (int i = 0; i < n_destroy; i++)
        *destroy[i] = NULL;
}
