/* SPDX-License-Identifier: MIT */
/* declare reduction with combiner and initializer; a variable-length array section; inside sections and teams. */
#include "conform.h"

typedef struct {
    long n, sum;
} stat;

#pragma omp declare reduction(merge : stat : omp_out.n += omp_in.n, omp_out.sum += omp_in.sum) \
    initializer(omp_priv = (stat){0, 0})

static void vector(int n)
{
    int v[n];

    memset(v, 0, sizeof v);
#pragma omp parallel for num_threads(4) reduction(+ : v[1 : n - 1])
    for (int i = 0; i < n * 20; i++)
        if (i % n)
            v[i % n] += 1;
    for (int i = 1; i < n; i++)
        CHECK(v[i] == 20);
}

int main(void)
{
    stat s = {0, 0};

#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(merge : s) schedule(guided)
        for (int i = 1; i <= 1000; i++) {
            s.n++;
            s.sum += i;
        }
#pragma omp sections reduction(merge : s)
        {
#pragma omp section
            s.n++;
#pragma omp section
            s.sum++;
        }
    }
    CHECK(s.n == 1001 && s.sum == 500501);
#pragma omp teams num_teams(2) reduction(merge : s)
    s.n++;
    CHECK(s.n == 1003);
    vector(17);
    return conform_end();
}
