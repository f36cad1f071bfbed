/* SPDX-License-Identifier: MIT */
/* thread_local objects with destructors: those of calling threads are destroyed when the thread ends, also when the
 * destructor itself runs a region; members of a team each have their own. */
#include <thread>

#include "conform.h"

static int alive, made, destroyed_by_callers;

struct tracker {
    int touched = 0;
    bool caller = false;
    tracker()
    {
        __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    }
    ~tracker()
    {
        int n = 0;

        __atomic_sub_fetch(&alive, 1, __ATOMIC_RELAXED);
        if (caller) {
#pragma omp parallel num_threads(2) reduction(+ : n)
            n++;
            CHECK(n == 2);
            destroyed_by_callers++;
        }
    }
};

static thread_local tracker mine;

int main()
{
    for (int i = 0; i < 10; i++) {
        std::thread caller([] {
            mine.caller = true;
#pragma omp parallel num_threads(3)
            {
                mine.touched++;
#pragma omp barrier
                CHECK(mine.touched >= 1);
            }
            CHECK(mine.touched == 1);
        });
        caller.join();
    }
    CHECK(destroyed_by_callers == 10);
    CHECK(made >= 12); /* ten callers, and at least two members beside them */
    return conform_end();
}
