// A kernel under test: a name and a function that makes inputs of bytes, calls the kernel and looks at what it says. A
// new kernel is a new file here with one `const Target`; CMake finds the file, and the driver the target.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bytes.hpp"

namespace puretree::fuzz {

struct Target {
    const char* name;
    void (*run)(Bytes&);
    double share;  // of the time, next to the others: more for what has more ways to go

    Target(const char* its_name, void (*its_run)(Bytes&), double its_share = 1)
        : name(its_name), run(its_run), share(its_share) {
        all().push_back(this);
    }

    static std::vector<const Target*>& all() {
        static std::vector<const Target*> targets;
        return targets;
    }
};

// What a kernel promises; the sanitizer reports the abort like any other fault, with the way to here.
inline void expect(bool holds, const char* promise) {
    if (holds) return;
    std::fprintf(stderr, "a kernel broke its promise: %s\n", promise);
    std::abort();
}

}  // namespace puretree::fuzz
