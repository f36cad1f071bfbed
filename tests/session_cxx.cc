// SPDX-License-Identifier: MIT
// tenure.h from C++: as C++11 and with all warnings; a session as an object, a lambda on its members.
#include <tenure.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void expect(bool right, const char *what)
{
    if (!right) {
        std::printf("FAULT %s\n", what);
        std::exit(1);
    }
}

class Session {
public:
    explicit Session(unsigned width)
    {
        tenure_session_options o = tenure_session_options();
        o.size = sizeof o;
        o.width = width;
        expect(tenure_session_open(&handle, &o) == 0, "open");
    }
    ~Session() { expect(tenure_session_close(handle) == 0, "close"); }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    template <typename F> void run(F f)
    {
        auto call = [](void *arg, int thread, int width) { (*static_cast<F *>(arg))(thread, width); };
        expect(tenure_session_run(handle, call, &f) == 0, "run");
    }
    template <typename F> void each(int64_t begin, int64_t end, F f)
    {
        auto call = [](void *arg, int64_t lo, int64_t hi) {
            for (int64_t i = lo; i < hi; i++)
                (*static_cast<F *>(arg))(i);
        };
        expect(tenure_session_for(handle, begin, end, 0, call, &f) == 0, "for");
    }

private:
    tenure_session handle;
};

} // namespace

int main()
{
    std::vector<int> ran(3), x(1000);
    {
        Session outer(3), inner(2);
        outer.run([&](int thread, int width) { ran[static_cast<size_t>(thread)] += width; });
        inner.each(0, 1000, [&](int64_t i) { x[static_cast<size_t>(i)]++; });
        inner.run([&](int, int width) { expect(width == 2, "the inner width"); });
    }
    expect(ran == std::vector<int>(3, 3), "each member once");
    expect(x == std::vector<int>(1000, 1), "each index once");
    return 0;
}
