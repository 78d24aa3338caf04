// Time limit and interrupts for kernels that run without the interpreter lock.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>

#include "../search/value.hpp"

namespace puretree::bindings {

namespace nb = nanobind;

// Returns whether time is left, and raises KeyboardInterrupt on Ctrl-C. Reads the clock once per call; signals are
// checked every 50 ms, because that takes the interpreter lock.
class Deadline {
public:
    explicit Deadline(double seconds) : seconds_(seconds) {}

    bool operator()() {
        const auto now = Clock::now();
        if (now - last_signal_check_ >= std::chrono::milliseconds(50)) {
            last_signal_check_ = now;
            nb::gil_scoped_acquire gil;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        }
        return std::chrono::duration<double>(now - start_).count() < seconds_;
    }

private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point start_ = Clock::now();
    Clock::time_point last_signal_check_ = start_;
    double seconds_;
};

// A tick that throws TimeLimitReached.
inline std::function<void()> make_tick(double seconds) {
    return [deadline = Deadline(seconds)]() mutable {
        if (!deadline()) throw TimeLimitReached{};
    };
}

}  // namespace puretree::bindings
