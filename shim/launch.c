/* SPDX-License-Identifier: MIT */
/* The `tenure` command: `run` starts a program on Tenure, `doctor` (doctor.c) says whether that works here.
 * It finds libtenure.so beside its own file, never in the current folder or on a search path, so that what is
 * preloaded is what was installed. Exit status of a program that could not be started: 126, or 127 if not found. */

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"

enum { EXIT_USAGE = 2, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

/* Where the library may lie, from the folder of this command: build tree, then the installed forms. */
static const char *const library_places[] = {
    ".libs/libtenure.so",
    "../lib/libtenure.so",
    "../lib64/libtenure.so",
    TENURE_LIBDIR "/libtenure.so", /* absolute: as configured */
};

#define DEFAULT_RESIDENT_NS "100000000" /* 0.1 s: spans the gaps of an interactive or batched caller, still bounded */

void tn_launch_complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("tenure: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

bool tn_launch_find_library(char *path, size_t size)
{
    char exe[PATH_MAX], candidate[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);

    if (length <= 0)
        return false;
    exe[length] = '\0';
    *strrchr(exe, '/') = '\0';
    for (size_t i = 0; i < sizeof library_places / sizeof *library_places; i++) {
        const char *place = library_places[i];
        char *real;

        snprintf(candidate, sizeof candidate, "%s%s%s", *place == '/' ? "" : exe, *place == '/' ? "" : "/", place);
        real = realpath(candidate, NULL);
        if (!real)
            continue;
        bool fits = (size_t)snprintf(path, size, "%s", real) < size;
        free(real);
        if (fits && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* Whether the list, separated by colons or spaces as the loader reads it, names path. */
static bool preload_has(const char *list, const char *path)
{
    size_t length = strlen(path);

    for (const char *p = list; (p = strstr(p, path)); p += length)
        if ((p == list || strchr(": ", p[-1])) && strchr(": ", p[length]))
            return true;
    return false;
}

int tn_launch_set_preload(const char *lib)
{
    const char *old = getenv("LD_PRELOAD");
    char *value;
    int failed;

    if (strpbrk(lib, ": "))
        return -EINVAL;
    if (!old || !*old)
        return setenv("LD_PRELOAD", lib, 1) ? -errno : 0;
    if (preload_has(old, lib))
        return 0;
    if (asprintf(&value, "%s:%s", lib, old) < 0)
        return -ENOMEM;
    failed = setenv("LD_PRELOAD", value, 1) ? -errno : 0;
    free(value);
    return failed;
}

static int usage(FILE *to, int status)
{
    fputs("usage: tenure run [--resident[=TIME]] [--verbose] [--] program [argument…]\n"
          "       tenure doctor [program or library…]\n"
          "       tenure version\n"
          "\n"
          "run       starts the program with Tenure in libgomp's place; --verbose: the first region says so, in one line;\n"
          "          --resident: its team stays awake this long between regions (20us, 5ms, 1s, infinite; 100ms if not given)\n"
          "doctor    says whether that works here, and which OpenMP runtime a program would use\n"
          "version   prints the version and the library's path\n",
          to);
    return status;
}

/* The forms that TENURE_RESIDENT has (env_read.c), 0 excepted. */
static bool is_time(const char *text)
{
    static const char *const units[] = {"", "ns", "us", "ms", "s"};
    char *end;

    errno = 0;
    if (!strcmp(text, "infinite"))
        return true;
    if (*text < '0' || *text > '9' || strtoull(text, &end, 10) == 0 || errno)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i]))
            return true;
    return false;
}

static bool is_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* Reads the options of `run` into the environment. Returns the index of the program, or -1 after a message. */
static int run_options(int argc, char **argv, bool *verbose)
{
    int i;

    for (i = 2; i < argc && argv[i][0] == '-'; i++) {
        const char *option = argv[i];

        if (!strcmp(option, "--")) {
            i++;
            break;
        }
        if (!strcmp(option, "--verbose")) {
            setenv("TENURE_VERBOSE", "1", 1);
            *verbose = true;
        } else if (!strcmp(option, "--resident") && i + 1 < argc && is_time(argv[i + 1])) {
            tn_launch_complain("run: --resident %s: write --resident=%s (a program of that name: --resident -- %s)",
                               argv[i + 1], argv[i + 1], argv[i + 1]);
            return -1;
        } else if (!strcmp(option, "--resident")) {
            setenv("TENURE_RESIDENT", DEFAULT_RESIDENT_NS, 1);
        } else if (!strncmp(option, "--resident=", 11)) {
            if (!is_time(option + 11)) {
                tn_launch_complain("run: %s: a time above 0 is wanted: a number with ns, us, ms or s, or infinite", option);
                return -1;
            }
            setenv("TENURE_RESIDENT", option + 11, 1);
        } else {
            tn_launch_complain("run: unknown option %s (tenure --help)", option);
            return -1;
        }
    }
    if (i >= argc) {
        tn_launch_complain("run: no program given (tenure --help)");
        return -1;
    }
    return i;
}

static int run(int argc, char **argv)
{
    char lib[PATH_MAX];
    bool verbose = false;
    int first = run_options(argc, argv, &verbose);
    int failed;

    if (first < 0)
        return EXIT_USAGE;
    if (!tn_launch_find_library(lib, sizeof lib)) {
        tn_launch_complain("libtenure.so is not beside this command (looked in .libs, ../lib, ../lib64, %s)",
                           TENURE_LIBDIR);
        return EXIT_CANNOT_RUN;
    }
    failed = tn_launch_set_preload(lib);
    if (failed == -EINVAL)
        tn_launch_complain("%s: LD_PRELOAD cannot name a path with a space or colon", lib);
    else if (failed)
        tn_launch_complain("LD_PRELOAD: %s", strerror(-failed));
    if (failed)
        return EXIT_CANNOT_RUN;
    if (verbose)
        tn_launch_complain("starting %s; a line follows from each process whose regions reach %s", argv[first], lib);
    execvp(argv[first], argv + first);
    failed = errno;
    tn_launch_complain("%s: %s", argv[first], failed == ENOENT ? "not found" : strerror(failed));
    return failed == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static int version(void)
{
    char lib[PATH_MAX];
    bool found = tn_launch_find_library(lib, sizeof lib);

    printf("tenure %s\n%s\n", TENURE_VERSION, found ? lib : "libtenure.so: not found beside this command");
    return found ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";

    if (is_help(command) || !strcmp(command, "help") || (argc == 3 && is_help(argv[2])))
        return usage(stdout, 0);
    if (!strcmp(command, "run"))
        return run(argc, argv);
    if (!strcmp(command, "doctor") && argc > 2 && argv[2][0] == '-') {
        tn_launch_complain("doctor: unknown option %s (tenure --help; a file of that name: ./%s)", argv[2], argv[2]);
        return EXIT_USAGE;
    }
    if (!strcmp(command, "doctor"))
        return tn_doctor("/proc/self/exe", argc - 2, argv + 2);
    if (!strcmp(command, "--probe") && argc == 3)
        return tn_doctor_probe(argv[2]);
    if (!strcmp(command, "version") || !strcmp(command, "--version"))
        return version();
    if (*command)
        tn_launch_complain("unknown command %s", command);
    return usage(stderr, EXIT_USAGE);
}
