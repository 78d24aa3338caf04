// A kernel under test: a name and a function that makes an input from bytes, calls the kernel and checks the result.
// For a new kernel, add a file with a `const Target` to this folder; CMake finds the file, and the driver the target.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bytes.hpp"

namespace puretree::fuzz {

struct Target {
    const char* name;
    void (*run)(Bytes&);
    double weight;  // of its time in relation to the others

    Target(const char* its_name, void (*its_run)(Bytes&), double its_weight = 1)
        : name(its_name), run(its_run), weight(its_weight) {
        all().push_back(this);
    }

    static std::vector<const Target*>& all() {
        static std::vector<const Target*> targets;
        return targets;
    }
};

// Checks a property of a kernel's result; sanitizers report the abort with a stack trace.
inline void expect(bool condition, const char* property) {
    if (condition) return;
    std::fprintf(stderr, "violated property: %s\n", property);
    std::abort();
}

}  // namespace puretree::fuzz
