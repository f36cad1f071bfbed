/* SPDX-License-Identifier: MIT */
/* Names of the C library that we stand in front of. Two reasons: to notice that the program sets a CPU mask, and to keep a
 * binding of ours from being inherited by other programs. Each passes on to the next definition, with the same result and
 * errno. Any thread; those that start programs also in a child of vfork: no state of the process is changed. fork() is
 * seen to by fork.c. */
#define _GNU_SOURCE
#include "interpose.h"

#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base.h"
#include "export.h"
#include "places.h"
#include "real.h"
#include "topo.h"

#define NAMES(X)                                                                                            \
    X(execv) X(execve) X(execvp) X(execvpe) X(fexecve) X(execveat) X(posix_spawn) X(posix_spawnp) X(system) \
    X(popen) X(sched_setaffinity) X(pthread_setaffinity_np)

#define INDEX(name) N_##name,
#define TEXT(name) #name,
enum { NAMES(INDEX) COUNT };
static const char *const names[COUNT] = {NAMES(TEXT)};
static _Atomic(void *) real[COUNT];

static void *find(int i)
{
    void *p = tn_load(&real[i]);
    if (tn_unlikely(!p)) {
        p = dlsym(RTLD_NEXT, names[i]);
        tn_store(&real[i], p);
    }
    return p;
}
#define REAL(name) ((__typeof__(&name))find(N_##name))

void tn_interpose_start(void)
{
    for (int i = 0; i < COUNT; i++)
        find(i);
}

/* --- Programs started from here do not inherit our binding ---------------------------------------------------------- */
#define STARTS(type, name, params, args)         \
    TN_EXPORT type name params                   \
    {                                            \
        union tn_set was;                        \
        bool bound = tn_affinity_unbind(&was);   \
        type result = REAL(name) args;           \
        if (bound)                               \
            tn_affinity_rebind(&was);            \
        return result;                           \
    }
STARTS(int, execve, (const char *path, char *const argv[], char *const env[]), (path, argv, env))
STARTS(int, execv, (const char *path, char *const argv[]), (path, argv))
STARTS(int, execvp, (const char *file, char *const argv[]), (file, argv))
STARTS(int, execvpe, (const char *file, char *const argv[], char *const env[]), (file, argv, env))
STARTS(int, fexecve, (int fd, char *const argv[], char *const env[]), (fd, argv, env))
STARTS(int, execveat, (int fd, const char *path, char *const argv[], char *const env[], int flags),
       (fd, path, argv, env, flags))
STARTS(int, posix_spawn,
       (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
        char *const argv[], char *const env[]),
       (pid, path, actions, attr, argv, env))
STARTS(int, posix_spawnp,
       (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
        char *const argv[], char *const env[]),
       (pid, file, actions, attr, argv, env))
STARTS(int, system, (const char *command), (command))
STARTS(FILE *, popen, (const char *command, const char *mode), (command, mode))

/* The forms with a list of arguments: into an array, then as above. `last` takes what follows the list. */
#define LIST(name, last, call)                                                             \
    TN_EXPORT int name(const char *path, const char *arg, ...)                             \
    {                                                                                      \
        va_list ap;                                                                        \
        size_t n = 1;                                                                      \
        va_start(ap, arg);                                                                 \
        for (const char *a = arg; a; a = va_arg(ap, const char *))                         \
            n++;                                                                           \
        va_end(ap);                                                                        \
        char **argv = alloca(n * sizeof *argv);                                            \
        va_start(ap, arg);                                                                 \
        argv[0] = (char *)(uintptr_t)arg;                                                  \
        for (size_t i = 1; i < n; i++)                                                     \
            argv[i] = va_arg(ap, char *);                                                  \
        last;                                                                              \
        va_end(ap);                                                                        \
        return call;                                                                       \
    }
LIST(execl, (void)0, execv(path, argv))
LIST(execlp, (void)0, execvp(path, argv))
LIST(execle, char *const *env = va_arg(ap, char *const *), execve(path, argv, env))

/* --- The program sets a mask ------------------------------------------------------------------------------------------ */

/* The libgomp we stand in front of pins the main thread from its constructor. Nothing of its is running here but that. */
static bool from_libgomp(const void *caller)
{
    Dl_info who, self;
    return dladdr(caller, &who) && who.dli_fname && tn_real_named(who.dli_fname) &&
           dladdr((void *)(uintptr_t)find, &self) && who.dli_fbase != self.dli_fbase;
}

TN_EXPORT int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    int result = REAL(sched_setaffinity)(pid, size, set);
    if (result == 0)
        tn_affinity_program_set(pid, NULL);
    return result;
}

TN_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    if (from_libgomp(__builtin_return_address(0)))
        return 0;
    int result = REAL(pthread_setaffinity_np)(thread, size, set);
    if (result == 0)
        tn_affinity_program_set(0, &thread);
    return result;
}
