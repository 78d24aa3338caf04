// Arrays at the border: read where they lie, and handed over without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../bits.hpp"

namespace puretree::bindings {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Vector = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const Word, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Strided = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::device::cpu>;
template <class T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using NewMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
using NewWords = nb::ndarray<nb::numpy, Word, nb::ndim<2>>;

inline constexpr std::size_t kMostBits = std::size_t{1} << 48;  // far beyond memory, far below overflow

inline void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

template <class T>
std::span<const T> view(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

inline BitRows<const Word> view(const Words& words, std::size_t n_bits) {
    require(n_bits <= kMostBits && words.shape(1) == words_for(n_bits), "the rows do not have as many words as the bits need");
    return {words.data(), words.shape(0), n_bits};
}

// Hands a finished vector to NumPy without a copy.
template <class Result, class T>
Result hand_over(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Result(owned.release()->data(), shape, owner);
}

template <class T>
NewVector<T> hand_over(std::vector<T>&& values) {
    const std::size_t n = values.size();
    return hand_over<NewVector<T>>(std::move(values), {n});
}

}  // namespace puretree::bindings
