/* SPDX-License-Identifier: MIT */
/* C++ exceptions thrown and caught inside regions, loops, criticals, singles and tasks, in every thread. */
#include <stdexcept>
#include <string>

#include "conform.h"

static int thrower(int i)
{
    if (i % 3 == 0)
        throw std::runtime_error("three " + std::to_string(i));
    return 1;
}

int main()
{
    int caught = 0, normal = 0;

    for (int round = 0; round < 10; round++) {
#pragma omp parallel num_threads(4) reduction(+ : caught, normal)
        {
#pragma omp for schedule(dynamic, 2)
            for (int i = 0; i < 300; i++)
                try {
                    normal += thrower(i);
                } catch (const std::runtime_error &e) {
                    caught += e.what() == "three " + std::to_string(i);
                }
#pragma omp critical
            try {
                throw 7;
            } catch (int seven) {
                caught += seven == 7;
            }
#pragma omp single
            for (int i = 0; i < 10; i++) {
#pragma omp task shared(caught)
                {
                    try {
                        thrower(0);
                    } catch (const std::exception &) {
#pragma omp atomic
                        caught += 1;
                    }
                }
            }
        }
    }
    CHECK(normal == 2000 && caught == 10 * (100 + 4 + 10));
    return conform_end();
}
