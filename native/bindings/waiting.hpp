// Kernels at work without the interpreter: Ctrl-C comes through, and the time limit holds.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>

#include "../search/value.hpp"

namespace puretree::bindings {

namespace nb = nanobind;

// Lets Ctrl-C through while a kernel works without the interpreter; cheap enough to ask often.
class Interruptible {
public:
    void operator()() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Lets Ctrl-C through and says when the time is over.
class Deadline {
public:
    explicit Deadline(double seconds) : seconds_(seconds) {}

    bool operator()() {
        interruptible_();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() < seconds_;
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double seconds_;
    Interruptible interruptible_;
};

// Throws when the time is over.
inline std::function<void()> ticking(double seconds) {
    return [deadline = Deadline(seconds)]() mutable {
        if (!deadline()) throw TimeIsOver{};
    };
}

}  // namespace puretree::bindings
