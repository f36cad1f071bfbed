/* SPDX-License-Identifier: MIT */
/* Static objects that use regions when they are made and when they are destroyed; a function-local static whose
 * initialisation several members race for. */
#include "conform.h"

static int team()
{
    int n = 0;
#pragma omp parallel num_threads(3) reduction(+ : n)
    n++;
    return n;
}

struct early {
    int made = team();
    ~early()
    {
        printf("destroyed %d\n", team());
        fflush(stdout);
    }
};
static early object;

static int &once()
{
    static int value = [] {
        puts("initialised");
        return 41;
    }();
    return value;
}

int main()
{
    int sum = 0;

    CHECK(object.made == 3);
#pragma omp parallel num_threads(4) reduction(+ : sum)
    sum += once();
    CHECK(sum == 164);
    return conform_end();
}
