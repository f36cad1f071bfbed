/* SPDX-License-Identifier: MIT */
/* The small forms that values of environment variables are made of. Pure: nothing is stored but through the arguments. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "env.h"

void tn_env_space(const char **s)
{
    while (isspace((unsigned char)**s))
        ++*s;
}

bool tn_env_end(const char *s)
{
    tn_env_space(&s);
    return *s == '\0';
}

int tn_env_word(const char **s, const char *const *words)
{
    tn_env_space(s);
    size_t n = 0;
    while (isalnum((unsigned char)(*s)[n]) || (*s)[n] == '_')
        n++;
    for (int i = 0; words[i]; i++) {
        if (strlen(words[i]) == n && n > 0 && strncasecmp(*s, words[i], n) == 0) {
            *s += n;
            return i;
        }
    }
    return -1;
}

bool tn_env_switch(const char *s, bool *on)
{
    static const char *const words[] = {"0", "1", "no", "yes", "false", "true", "off", "on", NULL};
    int w = tn_env_word(&s, words);
    if (w < 0 || !tn_env_end(s))
        return false;
    *on = w & 1;
    return true;
}

bool tn_env_ulong(const char **s, unsigned long *v)
{
    char *end;
    tn_env_space(s);
    errno = 0;
    unsigned long n = strtoul(*s, &end, 10);
    if (end == *s || errno)
        return false;
    *s = end;
    *v = n;
    return true;
}

bool tn_env_long(const char **s, long *v)
{
    char *end;
    tn_env_space(s);
    errno = 0;
    long n = strtol(*s, &end, 10);
    if (end == *s || errno)
        return false;
    *s = end;
    *v = n;
    return true;
}

bool tn_env_scaled(const char **s, const char *units, unsigned long step, unsigned long *v)
{
    unsigned long n, factor = 1;
    if (!tn_env_ulong(s, &n))
        return false;
    tn_env_space(s);
    const char *unit = **s ? strchr(units, tolower((unsigned char)**s)) : NULL;
    if (unit) {
        for (const char *u = units; u < unit; u++)
            factor *= step;
        ++*s;
    }
    if (n > (unsigned long)-1 / factor)
        return false;
    *v = n * factor;
    return true;
}
