// NumPy arrays as arguments and results, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "../bits.hpp"
#include "../grown_tree.hpp"

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

inline constexpr std::size_t kMaxBits = std::size_t{1} << 48;  // more than memory holds, and no overflow

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

template <class T>
std::span<const T> view(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

inline BitRows<const Word> view(const Words& words, std::size_t n_bits) {
    require(n_bits <= kMaxBits && words.shape(1) == words_for(n_bits), "the number of words per row does not match n_bits");
    return {words.data(), words.shape(0), n_bits};
}

// Moves a vector into a NumPy array, without a copy.
template <class Result, class T>
Result to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Result(owned.release()->data(), shape, owner);
}

template <class T>
NewVector<T> to_numpy(std::vector<T>&& values) {
    const std::size_t n = values.size();
    return to_numpy<NewVector<T>>(std::move(values), {n});
}

inline auto to_numpy(GrownTree&& tree) {
    return std::make_tuple(to_numpy(std::move(tree.feature)), to_numpy(std::move(tree.left)),
                           to_numpy(std::move(tree.label)));
}

inline void require_labels(std::span<const std::int32_t> labels, std::size_t n_examples, int n_classes) {
    require(labels.size() == n_examples && n_examples > 0, "there must be one label per example, and at least one example");
    for (std::int32_t label : labels) require(label >= 0 && label < n_classes, "a label is not below n_classes");
}

}  // namespace puretree::bindings
