/* SPDX-License-Identifier: MIT */
/* `tenure doctor`: whether the library works here, what a program's OpenMP runtime and OpenBLAS are, and the limits
 * a team will meet. Reads only; one thread. Every line says a fact that was looked up now, never a guess: libraries
 * are resolved by the file's own loader, and who answers GOMP_parallel is asked in a preloaded child. */

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"

extern char **environ;

static void row(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void row(const char *name, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    printf("%-12s ", name);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

/* Runs argv with its output going to a stream that the caller reads and gives to finish(). preload may be NULL. */
static FILE *start(char *const argv[], const char *preload, pid_t *child)
{
    int ends[2];

    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        unsetenv("LD_PRELOAD");
        if (preload)
            tn_launch_set_preload(preload);
        execv(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    if (*child < 0) {
        close(ends[0]);
        return NULL;
    }
    return fdopen(ends[0], "r");
}

static int finish(FILE *stream, pid_t child)
{
    int status = -1;

    fclose(stream);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int tn_doctor_probe(const char *lib)
{
    void *entry = dlsym(RTLD_DEFAULT, "GOMP_parallel");
    Dl_info info;

    if (!entry || !dladdr(entry, &info))
        return 1;
    char *real = realpath(info.dli_fname, NULL);
    int status = real && !strcmp(real, lib) ? 0 : 1;
    free(real);
    return status;
}

/* The library itself: can it be loaded, and does a preloaded process get its entries? */
static bool check_library(const char *self)
{
    char lib[PATH_MAX];
    char *const argv[] = {(char *)self, "--probe", lib, NULL};
    pid_t child;
    FILE *stream;

    if (!tn_launch_find_library(lib, sizeof lib)) {
        row("library", "libtenure.so is not beside this command");
        return false;
    }
    if (!dlopen(lib, RTLD_NOW | RTLD_LOCAL)) { /* loaded this way it reads its variables at once, and complains of them */
        row("library", "does not load: %s", dlerror());
        return false;
    }
    row("library", "%s, version %s, loads", lib, TENURE_VERSION);
    stream = start(argv, lib, &child);
    if (!stream || finish(stream, child) != 0) {
        row("preload", "does NOT work: a preloaded process does not reach it (LD_PRELOAD disabled here? a space in the path?)");
        return false;
    }
    row("preload", "works: a preloaded process calls GOMP_parallel in it");
    return true;
}

/* What an OpenBLAS says of itself. Values of openblas_get_parallel(). */
static void report_openblas(const char *path)
{
    static const char *const flavours[] = {
        "serial build: never starts a team", "pthreads build: threads of its own, not Tenure's",
        "OpenMP build: runs on Tenure"};
    void *blas = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    int (*get_parallel)(void);
    int kind;

    if (!blas)
        return;
    get_parallel = (int (*)(void))dlsym(blas, "openblas_get_parallel");
    kind = get_parallel ? get_parallel() : -1;
    if (kind < 0 || kind > 2)
        return;
    row("", "%s: OpenBLAS, %s%s", path, flavours[kind],
        kind == 1 && dlsym(blas, "openblas_set_threads_callback_function") ? " unless a session lends it its team" : "");
}

static bool is_openblas(const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

    return !strncmp(base, "libopenblas", 11) || !strncmp(base, "libblas", 7);
}

/* Whether a file that is called libgomp is Tenure under that name. */
static bool is_tenure(const char *path)
{
    void *runtime = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

    return runtime && dlsym(runtime, "tenure_version");
}

enum { RUNTIME_GNU = 1, RUNTIME_TENURE = 2, RUNTIME_LLVM = 4 };

/* One line of the loader's list, "name => path (address)": report it if it matters here. Returns whose OpenMP it is, or 0. */
static unsigned report_dependency(const char *line)
{
    static const struct {
        const char *name, *what;
        unsigned whose;
    } runtimes[] = {
        {"libgomp", "GCC's OpenMP; under `tenure run` Tenure takes its place", RUNTIME_GNU},
        {"libtenure", "Tenure, linked", RUNTIME_TENURE},
        {"libomp.", "LLVM's OpenMP: its own entry points, Tenure leaves it alone", RUNTIME_LLVM},
        {"libiomp5", "Intel's OpenMP: its own entry points, Tenure leaves it alone", RUNTIME_LLVM},
    };
    char name[PATH_MAX], path[PATH_MAX];
    const char *base;

    int fields = sscanf(line, " %4095s => %4095s", name, path);
    if (fields == 1)
        snprintf(path, sizeof path, "%s", name);
    else if (fields != 2)
        return 0;
    base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    if (is_openblas(path))
        report_openblas(path);
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (!strncmp(base, runtimes[i].name, strlen(runtimes[i].name))) {
            row("", "%s: %s", path, i == 0 && is_tenure(path) ? "Tenure, under libgomp's name" : runtimes[i].what);
            return runtimes[i].whose;
        }
    return 0;
}

/* The loader that an ELF file asks for ("" if it asks for none), or false if it is no ELF file of this machine. */
static bool elf_loader(int fd, char *loader, size_t size, bool *shared)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;

    *loader = '\0';
    if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    *shared = head.e_type == ET_DYN;
    for (int i = 0; i < head.e_phnum; i++) {
        off_t at = (off_t)(head.e_phoff + (Elf64_Off)i * head.e_phentsize);

        if (pread(fd, &part, sizeof part, at) != (ssize_t)sizeof part)
            break;
        if (part.p_type == PT_INTERP && part.p_filesz < size &&
            pread(fd, loader, part.p_filesz, (off_t)part.p_offset) == (ssize_t)part.p_filesz)
            loader[part.p_filesz] = '\0';
    }
    return true;
}

static bool find_on_path(const char *name, char *file, size_t size)
{
    const char *path = getenv("PATH");
    char *copy = strdup(path ? path : "/usr/bin:/bin"), *rest = copy, *folder;
    bool found = false;

    if (strchr(name, '/'))
        found = (size_t)snprintf(file, size, "%s", name) < size && access(file, R_OK) == 0;
    else
        while (!found && (folder = strsep(&rest, ":")))
            found = *folder && (size_t)snprintf(file, size, "%s/%s", folder, name) < size && access(file, X_OK) == 0;
    free(copy);
    return found;
}

/* A script's first line: the interpreter that will really run, `env` seen through. */
static bool script_interpreter(int fd, char *file, size_t size)
{
    char line[256], first[256] = "", second[256] = "";
    ssize_t length = pread(fd, line, sizeof line - 1, 0);

    if (length < 3 || memcmp(line, "#!", 2))
        return false;
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    sscanf(line + 2, " %255s %255s", first, second);
    size_t n = strlen(first);
    bool env = n >= 4 && !strcmp(first + n - 4, "/env");
    return find_on_path(env ? second : first, file, size);
}

/* False if its libraries cannot all be found. */
static bool report_libraries(const char *file, const char *loader)
{
    char *const argv[] = {(char *)loader, "--list", (char *)file, NULL};
    char *line = NULL;
    size_t room = 0;
    unsigned seen = 0;
    pid_t child;
    FILE *stream = start(argv, NULL, &child);

    if (!stream)
        return false;
    while (getline(&line, &room, stream) > 0)
        seen |= report_dependency(line);
    free(line);
    if (finish(stream, child) != 0) {
        row("", "its libraries cannot all be found");
        return false;
    }
    if (!seen)
        row("", "no OpenMP runtime among its libraries; a module it loads later, or a program it starts, may bring one");
    if ((seen & RUNTIME_TENURE) && (seen & RUNTIME_LLVM))
        row("", "WRONG together: what clang compiled runs on LLVM's, and omp_get_thread_num is Tenure's, 0 there; build it by GCC");
    return true;
}

static bool is_shell(const char *file)
{
    static const char *const shells[] = {"sh", "bash", "dash", "ksh", "zsh"};
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(base, shells[i]))
            return true;
    return false;
}

/* What would run if `name` were started. False if that cannot be told. */
static bool report_file(const char *name, bool from_script)
{
#if defined(__x86_64__)
    static const char own_loader[] = "/lib64/ld-linux-x86-64.so.2";
#else
    static const char own_loader[] = "/lib/ld-linux-aarch64.so.1";
#endif
    char file[PATH_MAX], loader[PATH_MAX], interpreter[PATH_MAX];
    bool shared = false, told = true;
    struct stat about;
    int fd;

    if (!find_on_path(name, file, sizeof file) || (fd = open(file, O_RDONLY | O_CLOEXEC)) < 0) {
        row("file", "%s: %s", name,
            strchr(name, '/') ? "not found or not readable" : "not on PATH (a file of this folder is named with ./)");
        return false;
    }
    row(from_script ? "" : "file", "%s", file);
    if (is_openblas(file))
        report_openblas(file);
    if (!elf_loader(fd, loader, sizeof loader, &shared)) {
        told = !from_script && script_interpreter(fd, interpreter, sizeof interpreter);
        if (told && is_shell(interpreter))
            row("", "a shell script: name the program it starts to doctor; `tenure run` reaches it through the script");
        else if (told)
            told = report_file(interpreter, true);
        else
            row("", "neither a program of this machine nor a script");
    } else if (*loader && fstat(fd, &about) == 0 && about.st_mode & (S_ISUID | S_ISGID)) {
        row("", "set-user-ID or set-group-ID: no preload reaches it");
    } else if (*loader || shared) {
        told = report_libraries(file, *loader ? loader : own_loader);
    } else {
        row("", "linked statically: no preload reaches it");
    }
    close(fd);
    return told;
}

/* The first number in a file, or -1 ("max" and a missing file are both no limit). */
static long read_numbers(const char *folder, const char *leaf, long *second)
{
    char path[PATH_MAX + 64];
    long first = -1;
    FILE *f;

    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, leaf);
    f = fopen(path, "re");
    if (!f)
        return -1;
    if (fscanf(f, "%ld %ld", &first, second) < 1)
        first = -1;
    fclose(f);
    return first;
}

/* The tightest cgroup v2 limits from this process's group up to the root: processors and tasks. */
static void cgroup_limits(double *cpus, long *tasks)
{
    char line[PATH_MAX], group[PATH_MAX] = "";
    FILE *f = fopen("/proc/self/cgroup", "re");

    *cpus = 0;
    *tasks = -1;
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "0::/", 4))
            snprintf(group, sizeof group, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    if (f)
        fclose(f);
    for (;;) {
        long period = 100000, quota = read_numbers(group, "cpu.max", &period);
        long most = read_numbers(group, "pids.max", &period);
        char *slash = strrchr(group, '/');

        if (quota > 0 && (*cpus == 0 || (double)quota / (double)period < *cpus))
            *cpus = (double)quota / (double)period;
        if (most > 0 && (*tasks < 0 || most < *tasks))
            *tasks = most;
        if (!slash)
            break;
        *slash = '\0';
    }
}

static const char *limit_text(int which, rlim_t unit, const char *unit_name, char *text, size_t size)
{
    struct rlimit limit;

    if (getrlimit(which, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return "unlimited";
    snprintf(text, size, "%llu%s", (unsigned long long)(limit.rlim_cur / unit), unit_name);
    return text;
}

/* pid_max: threads have such numbers too. A stack takes two maps. */
static long kernel_limit(const char *path)
{
    long n = 0;
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%ld", &n) != 1)
        n = 0;
    if (f)
        fclose(f);
    return n;
}

static void report_machine(void)
{
    char a[32], b[32], c[32], d[32] = "unlimited";
    double cpus;
    long tasks;
    cpu_set_t set;

    cgroup_limits(&cpus, &tasks);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        row("processors", "%d in this CPU set, %ld online", CPU_COUNT(&set), sysconf(_SC_NPROCESSORS_ONLN));
    if (cpus > 0)
        row("quota", "%.2f processors (cgroup)", cpus);
    else
        row("quota", "none");
    if (tasks > 0)
        snprintf(d, sizeof d, "%ld", tasks);
    row("limits", "processes %s, cgroup tasks %s, address space %s, stack %s",
        limit_text(RLIMIT_NPROC, 1, "", a, sizeof a), d, limit_text(RLIMIT_AS, 1 << 20, " MiB", b, sizeof b),
        limit_text(RLIMIT_STACK, 1 << 10, " KiB", c, sizeof c));
    row("", "kernel: pid_max %ld, threads-max %ld, max_map_count %ld", kernel_limit("/proc/sys/kernel/pid_max"),
        kernel_limit("/proc/sys/kernel/threads-max"), kernel_limit("/proc/sys/vm/max_map_count"));
}

static void report_environment(void)
{
    static const char *const wanted[] = {"OMP_", "GOMP_", "TENURE_", "OPENBLAS_", "LD_PRELOAD=", "LD_LIBRARY_PATH="};
    const char *name = "environment";

    for (char **e = environ; *e; e++)
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (!strncmp(*e, wanted[i], strlen(wanted[i]))) {
                row(name, "%s", *e);
                name = "";
            }
}

int tn_doctor(const char *self, int count, char **files)
{
    bool works = check_library(self), told = true;

    report_machine();
    report_environment();
    for (int i = 0; i < count; i++)
        told &= report_file(files[i], false);
    return works && told ? 0 : 1;
}
