/* SPDX-License-Identifier: MIT */
/* A race-free program under ThreadSanitizer: it must hear of every hand-off of the runtime (happens.h), so it reports
 * nothing; and one planted race, so that it is known to look.
 * conform: tenure only: libgomp's hand-offs cannot be seen. conform: flags -fsanitize=thread */
#include <omp.h>
#include <stdio.h>

static volatile int reports;
void __tsan_on_report(void *r) { (void)r; __sync_fetch_and_add(&reports, 1); }
const char *__tsan_default_options(void) { return "exitcode=0:halt_on_error=0"; }

#define N 400
static int a[N], b[N], planted;

static void constructs(int r)
{
    int copy, sum = 0, counted = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3) private(copy) shared(sum, counted)
    {
#pragma omp for schedule(dynamic, 7)
        for (int i = 0; i < N; i++)
            a[i] = i + r;
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < N; i++) {
#pragma omp ordered
            b[0] += a[i];
        }
#pragma omp single copyprivate(copy)
        copy = b[0];
#pragma omp critical
        sum += copy;
        omp_set_lock(&lock);
        counted++;
        omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 40; i++) {
#pragma omp task depend(inout : b[i % 4]) firstprivate(i)
            b[i % 4] += a[i];
        }
    }
#pragma omp parallel num_threads(6)
    {
#pragma omp single
        {
#pragma omp taskgroup
            for (int i = 0; i < 20; i++) {
#pragma omp task
                a[i] = -i;
            }
            for (int i = 0; i < 20; i++)
                sum += a[i];
        }
#pragma omp barrier
    }
    planted += sum + counted;
    omp_destroy_lock(&lock);
}

int main(void)
{
    for (int r = 0; r < 20; r++)
        constructs(r);
    int quiet = reports;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 1000; i++)
        planted++;
    printf("%d false reports, planted race %s\n", quiet, reports > quiet ? "found" : "missed");
    return quiet != 0 || reports == quiet;
}
