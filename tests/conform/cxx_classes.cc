/* SPDX-License-Identifier: MIT */
/* Class objects in data clauses: constructors, copies and destructors are balanced; loops over random-access
 * iterators; a user-defined reduction of a class; copyprivate; taskloop over iterators. */
#include <set>
#include <string>
#include <vector>

#include "conform.h"

static int balance;

struct box {
    std::string text;
    box() : text("new") { __atomic_add_fetch(&balance, 1, __ATOMIC_RELAXED); }
    box(const box &other) : text(other.text) { __atomic_add_fetch(&balance, 1, __ATOMIC_RELAXED); }
    box &operator=(const box &other) = default;
    ~box() { __atomic_sub_fetch(&balance, 1, __ATOMIC_RELAXED); }
};

#pragma omp declare reduction(merge : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

int main()
{
    {
        box first, last;
        std::vector<int> numbers(1000), all;
        long sum = 0;

        first.text = "given";
        for (int i = 0; i < 1000; i++)
            numbers[i] = i;
#pragma omp parallel num_threads(4) firstprivate(first)
        {
            box shared_out;

            CHECK(first.text == "given");
#pragma omp for lastprivate(last) schedule(dynamic, 10)
            for (int i = 0; i < 100; i++)
                last.text = std::to_string(i);
#pragma omp single copyprivate(shared_out)
            shared_out.text = "from one";
            CHECK(shared_out.text == "from one");
#pragma omp for reduction(merge : all) schedule(guided)
            for (std::vector<int>::const_iterator it = numbers.begin(); it < numbers.end(); it += 2)
                all.push_back(*it);
#pragma omp single
#pragma omp taskloop firstprivate(first) grainsize(20)
            for (auto it = numbers.begin(); it < numbers.end(); ++it) {
                CHECK(first.text == "given");
#pragma omp atomic
                sum += *it;
            }
#pragma omp single
            for (int i = 0; i < 50; i++)
#pragma omp task firstprivate(first)
                CHECK(first.text == "given");
        }
        CHECK(last.text == "99" && sum == 499500 && all.size() == 500);
        CHECK(std::set<int>(all.begin(), all.end()).size() == 500);
    }
    CHECK(balance == 0);
    return conform_end();
}
