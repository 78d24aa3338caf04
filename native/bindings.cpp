// The only file that knows Python: checks shapes at the border, lets go of the interpreter, calls one kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "best_trees.hpp"
#include "bits.hpp"
#include "class_shares.hpp"
#include "dimacs.hpp"
#include "greedy.hpp"
#include "group.hpp"
#include "iti.hpp"
#include "local_search/local_search.hpp"
#include "proof/drat.hpp"
#include "proof/rup.hpp"
#include "region.hpp"
#include "search/proof/proof_log.hpp"
#include "search/search.hpp"
#include "transpose.hpp"
#include "walk.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace puretree;

namespace {

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
using NewPairs = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>>;

using Block = nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t kMostBits = std::size_t{1} << 48;  // far beyond memory, far below overflow

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

template <class T>
std::span<const T> view(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

BitRows<const Word> view(const Words& words, std::size_t n_bits) {
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

Questions make_questions(std::vector<std::int32_t> column, std::vector<std::int64_t> edge_start,
                         std::vector<double> edges, std::vector<std::uint8_t> starts_inside,
                         std::vector<std::uint8_t> holds_missing) {
    const std::size_t n = column.size();
    require(edge_start.size() == n + 1 && starts_inside.size() == n && holds_missing.size() == n,
            "every question needs its column, edges and two flags");
    require(edge_start.front() == 0 && edge_start.back() == static_cast<std::int64_t>(edges.size()) &&
                std::ranges::is_sorted(edge_start),
            "edge_start must ascend from 0 to the number of edges");
    require(std::ranges::none_of(edges, [](double edge) { return edge != edge; }), "an edge is not a number");
    return {std::move(column), std::move(edge_start), std::move(edges), std::move(starts_inside),
            std::move(holds_missing)};
}

void require_columns(const Questions& questions, std::size_t n_columns) {
    for (std::int32_t c : questions.column) {
        require(c >= 0 && static_cast<std::size_t>(c) < n_columns, "a question is about a column that is not there");
    }
}

// Children come after their parent, so every walk ends.
void require_walkable(const Walk& tree, std::size_t n_tests) {
    require(!tree.left.empty() && tree.test.size() == tree.left.size(), "a tree has at least one node");
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        if (tree.left[node] < 0) continue;
        const auto left = static_cast<std::size_t>(tree.left[node]);
        require(left > node && left + 1 < tree.left.size(), "a node's children must come after it");
        require(tree.test[node] >= 0 && static_cast<std::size_t>(tree.test[node]) < n_tests,
                "a node asks a test that is not there");
    }
}

template <class T>
std::vector<Column<T>> view(const std::vector<Strided<T>>& arrays, std::size_t n_rows) {
    std::vector<Column<T>> columns;
    for (const Strided<T>& array : arrays) {
        require(array.shape(0) == n_rows, "the columns are not equally long");
        columns.push_back({array.data(), array.stride(0)});
    }
    return columns;
}

NewWords answers(const Questions& questions, const std::vector<Vector<double>>& columns, std::size_t n_rows) {
    const std::size_t n_words = words_for(n_rows);
    require_columns(questions, columns.size());
    for (const auto& values : columns) require(values.shape(0) == n_rows, "the columns are not equally long");
    std::vector<Word> out(questions.size() * n_words);
    {
        nb::gil_scoped_release nogil;
        for (std::size_t i = 0; i < questions.size(); ++i) {
            const auto& values = columns[static_cast<std::size_t>(questions.column[i])];
            fill_membership(questions.region(i), {values.data(), n_rows}, {out.data() + i * n_words, n_words});
        }
    }
    return hand_over<NewWords>(std::move(out), {questions.size(), n_words});
}

NewWords transpose_words(Words words, std::size_t n_bits) {
    const auto from = view(words, n_bits);
    std::vector<Word> out(n_bits * words_for(from.n_rows));
    {
        nb::gil_scoped_release nogil;
        transpose(from, {out.data(), n_bits, from.n_rows});
    }
    return hand_over<NewWords>(std::move(out), {n_bits, words_for(from.n_rows)});
}

auto group(Words words, std::size_t n_bits, bool fold_complements) {
    const auto rows = view(words, n_bits);
    Grouping found;
    {
        nb::gil_scoped_release nogil;
        found = group_rows(rows, fold_complements);
    }
    return std::make_tuple(hand_over(std::move(found.group)), hand_over(std::move(found.first)),
                           hand_over(std::move(found.flipped)));
}

NewVector<std::int32_t> leaves_of_examples(Vector<std::int32_t> test, Vector<std::int32_t> left, Words words,
                                           std::size_t n_bits) {
    const Walk tree{view(test), view(left)};
    const auto examples = view(words, n_bits);
    require_walkable(tree, n_bits);
    std::vector<std::int32_t> out(examples.n_rows);
    {
        nb::gil_scoped_release nogil;
        leaves_of_bits(tree, examples, out);
    }
    return hand_over(std::move(out));
}

template <class T>
NewVector<std::int32_t> leaves_of_rows(Vector<std::int32_t> test, Vector<std::int32_t> left, const Questions& questions,
                                       const std::vector<Strided<T>>& arrays, std::size_t n_rows) {
    const Walk tree{view(test), view(left)};
    const auto columns = view(arrays, n_rows);
    require_columns(questions, columns.size());
    require_walkable(tree, questions.size());
    std::vector<std::int32_t> out(n_rows);
    {
        nb::gil_scoped_release nogil;
        leaves_of_columns(tree, questions, columns, out);
    }
    return hand_over(std::move(out));
}

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
std::function<void()> ticking(double seconds) {
    return [deadline = Deadline(seconds)]() mutable {
        if (!deadline()) throw TimeIsOver{};
    };
}

void require_labels(std::span<const std::int32_t> labels, std::size_t n_examples, int n_classes) {
    require(labels.size() == n_examples && n_examples > 0, "every example needs a label");
    for (std::int32_t label : labels) require(label >= 0 && label < n_classes, "a label is not a class");
}

void require_permutation(std::span<const std::int64_t> order, std::size_t n_examples) {
    std::vector<bool> is_named(n_examples);
    require(order.size() == n_examples, "an order names every example once");
    for (std::int64_t i : order) {
        const auto example = static_cast<std::size_t>(i);  // a negative one becomes too large
        require(example < n_examples && !is_named[example], "an order names every example once");
        is_named[example] = true;
    }
}

auto hand_over(GrownTree&& tree) {
    return std::make_tuple(hand_over(std::move(tree.feature)), hand_over(std::move(tree.left)),
                           hand_over(std::move(tree.label)));
}

auto greedy_tree(Words example_words, std::size_t n_bits, Vector<std::int32_t> labels, int n_classes, double seconds) {
    const auto examples = view(example_words, n_bits);
    require_labels(view(labels), examples.n_rows, n_classes);
    GrownTree tree;
    {
        nb::gil_scoped_release nogil;
        tree = grow_greedily(examples, view(labels), n_classes, Deadline(seconds));
    }
    return hand_over(std::move(tree));
}

auto iti_tree(Words example_words, std::size_t n_bits, Vector<std::int32_t> labels, int n_classes,
              Vector<std::int64_t> order, double seconds) {
    const auto examples = view(example_words, n_bits);
    require_labels(view(labels), examples.n_rows, n_classes);
    require_permutation(view(order), examples.n_rows);
    std::optional<GrownTree> tree;
    {
        nb::gil_scoped_release nogil;
        tree = induce_incrementally(examples, view(labels), n_classes, view(order), Deadline(seconds));
    }
    return tree ? std::optional(hand_over(std::move(*tree))) : std::nullopt;
}

void require_graph(const AndOrGraph& graph, std::size_t n_questions, std::size_t n_classes) {
    const std::size_t n_nodes = graph.label.size(), n_edges = graph.question.size();
    require(graph.edge_start.size() == n_nodes + 1 && graph.edge_start.front() == 0 &&
                graph.edge_start.back() == static_cast<std::int64_t>(n_edges) &&
                std::ranges::is_sorted(graph.edge_start),
            "edge_start must ascend from 0 to the number of edges");
    require(graph.no.size() == n_edges && graph.yes.size() == n_edges, "an edge needs a question and two sides");
    const auto is_below = [](std::int32_t i, std::size_t end) { return i >= 0 && static_cast<std::size_t>(i) < end; };
    for (std::size_t node = 0; node < n_nodes; ++node) {
        const bool is_leaf = graph.edge_start[node] == graph.edge_start[node + 1];
        require(is_leaf ? is_below(graph.label[node], n_classes) : graph.label[node] < 0,
                "a leaf has a class, any other node has edges");
        for (auto e = static_cast<std::size_t>(graph.edge_start[node]);
             e < static_cast<std::size_t>(graph.edge_start[node + 1]); ++e) {
            require(is_below(graph.question[e], n_questions), "an edge asks a question that is not there");
            require(is_below(graph.no[e], node) && is_below(graph.yes[e], node), "sides must come before their node");
        }
    }
    require(!graph.roots.empty(), "a graph needs a root");
    for (std::int32_t root : graph.roots) require(is_below(root, n_nodes), "a root is not a node");
}

auto best_trees(Vector<std::int32_t> label, Vector<std::int64_t> edge_start, Vector<std::int32_t> question,
                Vector<std::int32_t> no, Vector<std::int32_t> yes, Vector<std::int32_t> roots, Words answer_words,
                std::size_t n_bits, Matrix<double> scores, std::int64_t most_loss, std::size_t most_bytes, double seconds) {
    const AndOrGraph graph{view(label), view(edge_start), view(question), view(no), view(yes), view(roots)};
    const auto answers = view(answer_words, n_bits);
    const std::size_t n_classes = scores.shape(1);
    require(scores.shape(0) == n_bits, "every row needs its scores");
    require(most_loss >= 0, "trees cannot be better than the best");
    require_graph(graph, answers.n_rows, n_classes);
    std::optional<BestTrees> best;
    try {
        nb::gil_scoped_release nogil;
        const auto tick = ticking(seconds);
        best = find_best_trees(graph, answers, {scores.data(), scores.size()}, n_classes, most_loss, most_bytes, tick);
    } catch (const TimeIsOver&) {
    } catch (const BestTreesTooLarge&) {
        throw std::bad_alloc();
    }
    const auto told = [](BestTrees& found) {
        return std::make_tuple(found.score, hand_over(std::move(found.node)), hand_over(std::move(found.edge_start)),
                               hand_over(std::move(found.edge)), hand_over(std::move(found.no)),
                               hand_over(std::move(found.yes)), hand_over(std::move(found.roots)),
                               hand_over(std::move(found.losses)));
    };
    return best ? std::optional(told(*best)) : std::nullopt;
}

std::optional<NewMatrix<double>> class_shares(Vector<std::int32_t> label, Vector<std::int64_t> edge_start,
                                              Vector<std::int32_t> question, Vector<std::int32_t> no,
                                              Vector<std::int32_t> yes, Vector<std::int32_t> roots, Words answer_words,
                                              std::size_t n_bits, Vector<double> edge_weight, Vector<double> root_weight,
                                              std::size_t n_classes, std::size_t cells_at_once, double seconds) {
    const AndOrGraph graph{view(label), view(edge_start), view(question), view(no), view(yes), view(roots)};
    const auto answers = view(answer_words, n_bits);
    require_graph(graph, answers.n_rows, n_classes);
    require(edge_weight.shape(0) == graph.question.size() && root_weight.shape(0) == graph.roots.size(),
            "every edge and every root needs its weight");
    try {
        std::vector<double> shares;
        {
            nb::gil_scoped_release nogil;
            ClassShares all(graph, answers, view(edge_weight), view(root_weight), n_classes, cells_at_once);
            shares = all.find(ticking(seconds));
        }
        return hand_over<NewMatrix<double>>(std::move(shares), {n_bits, n_classes});
    } catch (const TimeIsOver&) {
        return std::nullopt;
    }
}

auto make_search(Words example_words, std::size_t n_bits, Vector<std::int32_t> labels, std::size_t n_classes,
                 Vector<std::int64_t> n_rows, Vector<std::int64_t> weights, Vector<std::uint8_t> is_root,
                 std::optional<std::uint16_t> max_depth, std::int64_t min_leaf, std::size_t max_bytes) {
    const auto examples = view(example_words, n_bits);
    require_labels(view(labels), examples.n_rows, static_cast<int>(n_classes));
    require(n_rows.shape(0) == examples.n_rows, "every example stands for some rows");
    require(weights.shape(0) == 0 || weights.shape(0) == n_bits, "every feature needs its weight");
    require(std::ranges::all_of(view(weights), [](std::int64_t weight) { return weight > 0; }), "a weight is not positive");
    require(is_root.shape(0) == 0 || is_root.shape(0) == n_bits, "every feature may be at the root or not");
    require(n_bits < Memo::kNoFeature, "the search takes at most 16 million features");
    require(examples.n_rows < std::size_t{1} << 22, "the search takes at most 4 million different examples");
    Wishes wishes;
    wishes.weights.assign(view(weights).begin(), view(weights).end());
    wishes.is_root.assign(view(is_root).begin(), view(is_root).end());
    wishes.max_depth = max_depth.value_or(kAnyDepth);
    wishes.min_leaf = min_leaf;
    wishes.n_rows.assign(view(n_rows).begin(), view(n_rows).end());
    return std::make_unique<Search>(std::vector<Word>(example_words.data(), example_words.data() + example_words.size()),
                                    n_bits, std::vector<std::int32_t>(view(labels).begin(), view(labels).end()),
                                    n_classes, std::move(wishes), max_bytes);
}

using OnLower = nb::typed<nb::callable, void(Value)>;
using OnTree = nb::typed<nb::callable, void(NewVector<std::int32_t>, NewVector<std::int32_t>, NewVector<std::int32_t>)>;

std::optional<bool> run_search(Search& search, Value enough, OnLower on_lower, OnTree on_tree, double seconds) {
    const News news{[&](Value lower) {
                        nb::gil_scoped_acquire gil;
                        on_lower(lower);
                    },
                    [&](const GrownTree& tree) {
                        nb::gil_scoped_acquire gil;
                        const auto [feature, left, label] = hand_over(GrownTree(tree));
                        on_tree(feature, left, label);
                    }};
    try {
        nb::gil_scoped_release nogil;
        return search.run(enough, news, ticking(seconds));
    } catch (const TimeIsOver&) {
        return std::nullopt;
    }
}

auto search_forest(Search& search, std::size_t size, std::size_t extra, std::size_t max_bytes, double seconds) {
    std::optional<Forest> forest;
    try {
        nb::gil_scoped_release nogil;
        forest = search.find_forest(size, extra, max_bytes, ticking(seconds));
    } catch (const TimeIsOver&) {
    } catch (const ForestTooLarge&) {
        throw std::bad_alloc();
    }
    const auto told = [](Forest& found) {
        return std::make_tuple(hand_over(std::move(found.label)), hand_over(std::move(found.size)),
                               hand_over(std::move(found.edge_start)), hand_over(std::move(found.feature)),
                               hand_over(std::move(found.no)), hand_over(std::move(found.yes)),
                               hand_over(std::move(found.roots)));
    };
    return forest ? std::optional(told(*forest)) : std::nullopt;
}

std::optional<nb::bytes> search_proof(Search& search, Value bound, std::size_t max_bytes, double seconds) {
    std::string log;
    try {
        nb::gil_scoped_release nogil;
        log = search.write_proof(bound, max_bytes, ticking(seconds));
    } catch (const TimeIsOver&) {
        return std::nullopt;
    } catch (const ProofTooLarge&) {
        throw std::bad_alloc();
    }
    return nb::bytes(log.data(), log.size());
}

void require_literals(std::span<const std::int32_t> literals, std::size_t n_vars) {
    const auto most = static_cast<std::int64_t>(n_vars);
    require(std::ranges::all_of(literals, [&](std::int64_t lit) { return -most <= lit && lit <= most; }),
            "a literal is not of a variable of the formula");
}

auto make_local_search(std::size_t n_vars) {
    require(n_vars < std::size_t{1} << 30, "local search takes at most a billion variables");
    return std::make_unique<LocalSearch>(n_vars);
}

void add_clauses(LocalSearch& search, Block block, Vector<std::int64_t> weights) {
    require_literals({block.data(), block.size()}, search.n_vars());
    require(weights.shape(0) == 0 || weights.shape(0) == block.shape(0), "every soft clause needs its weight");
    require(std::ranges::all_of(view(weights), [](Weight weight) { return weight >= 0; }), "a weight is negative");
    nb::gil_scoped_release nogil;
    for (std::size_t row = 0; row < block.shape(0); ++row) {
        search.add({block.data() + row * block.shape(1), block.shape(1)},
                   weights.shape(0) == 0 ? Clauses::kHard : weights.data()[row]);
    }
}

using OnModel = nb::typed<nb::callable, void(NewVector<std::uint8_t>)>;

std::optional<bool> run_local_search(LocalSearch& search, Vector<std::int32_t> given, std::uint64_t seed,
                                     std::int64_t most_steps, Weight enough, OnModel on_model, double seconds) {
    require_literals(view(given), search.n_vars());
    require(std::ranges::find(view(given), 0) == view(given).end(), "a literal is zero");
    const auto hear = [&](const LocalSearch::Values& values) {
        nb::gil_scoped_acquire gil;
        on_model(hand_over(LocalSearch::Values(values)));
    };
    try {
        nb::gil_scoped_release nogil;
        const auto end = search.run({seed, most_steps, enough}, view(given), hear, ticking(seconds));
        if (end == LocalSearch::End::kStale) return std::nullopt;
        return end == LocalSearch::End::kEnough;
    } catch (const TimeIsOver&) {
        return std::nullopt;
    }
}

nb::bytes format_block(Block block, nb::bytes prefix) {
    const std::string_view start(prefix.c_str(), prefix.size());
    std::string out;
    {
        nb::gil_scoped_release nogil;
        format_clauses({block.data(), block.size()}, block.shape(0), block.shape(1), start, out);
    }
    return nb::bytes(out.data(), out.size());
}

NewPairs hand_over(const std::vector<Span>& spans) {
    std::vector<std::int64_t> flat;
    flat.reserve(2 * spans.size());
    for (const Span& span : spans) flat.insert(flat.end(), {span.begin, span.end});
    return hand_over<NewPairs>(std::move(flat), {spans.size(), 2});
}

auto parse_text(nb::bytes bytes) {
    const std::string_view text(bytes.c_str(), bytes.size());
    DimacsText found;
    try {
        nb::gil_scoped_release nogil;
        found = parse_dimacs(text);
    } catch (const DimacsError& error) {
        PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.at, error.expected).ptr());
        throw nb::python_error();
    }
    return std::make_tuple(hand_over(std::move(found.hard.literals)), hand_over(std::move(found.hard.ends)),
                           hand_over(std::move(found.soft.literals)), hand_over(std::move(found.soft.ends)),
                           hand_over(found.weights), hand_over(found.notes),
                           std::make_tuple(found.max_var, found.n_vars, found.n_clauses));
}

auto rewrite_drat(nb::bytes bytes) {
    std::string out;
    std::size_t n_read = 0;
    try {
        nb::gil_scoped_release nogil;
        n_read = drat_to_text({bytes.c_str(), bytes.size()}, out);
    } catch (const DimacsError& error) {
        PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.at, error.expected).ptr());
        throw nb::python_error();
    }
    return std::make_tuple(nb::bytes(out.data(), out.size()), n_read);
}

using OnText = nb::typed<nb::callable, void(nb::bytes)>;

auto rup_verdict(nb::bytes formula, nb::bytes proof, std::optional<OnText> on_lrat, std::size_t max_bytes, double seconds)
    -> std::optional<std::tuple<bool, std::optional<std::size_t>, std::size_t, std::size_t>> {
    const std::string_view formula_text(formula.c_str(), formula.size()), proof_text(proof.c_str(), proof.size());
    std::function<void(std::string_view)> out;
    if (on_lrat) {
        out = [&](std::string_view text) {
            nb::gil_scoped_acquire gil;
            (*on_lrat)(nb::bytes(text.data(), text.size()));
        };
    }
    try {
        RupResult result;
        {
            nb::gil_scoped_release nogil;
            result = check_rup(formula_text, proof_text, max_bytes, out, ticking(seconds));
        }
        const bool is_refuted = result.end == RupResult::End::kRefuted;
        const bool has_place = result.end == RupResult::End::kNotImplied;
        return std::make_tuple(is_refuted, has_place ? std::optional(result.place) : std::nullopt, result.n_lemmas,
                               result.n_written);
    } catch (const ProofError& error) {
        PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.is_in_formula, error.at, error.expected).ptr());
        throw nb::python_error();
    } catch (const TimeIsOver&) {
        return std::nullopt;
    }
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "The hot kernels: bits in, bits out.";
    nb::class_<Questions>(m, "Questions", "Yes/no questions about columns of numbers.")
        .def(nb::new_(&make_questions), "column"_a, "edge_start"_a, "edges"_a, "starts_inside"_a, "holds_missing"_a)
        .def("__len__", &Questions::size);
    m.def("answers", &answers, "questions"_a, "columns"_a, "n_rows"_a,
          "Ask every question of every row: one row of bits per question.");
    m.def("transpose", &transpose_words, "words"_a, "n_bits"_a, "Turn a bit matrix.");
    m.def("group", &group, "words"_a, "n_bits"_a, "fold_complements"_a,
          "Find equal rows: group of each row, first row of each group, rows that are complements of it.");
    m.def("leaves_of_examples", &leaves_of_examples, "test"_a, "left"_a, "words"_a, "n_bits"_a,
          "Leaf of each packed example.");
    // Two overloads: a table in single precision is walked where it lies; a mixture becomes double on the way.
    m.def("leaves_of_rows", &leaves_of_rows<double>, "test"_a, "left"_a, "questions"_a, "columns"_a, "n_rows"_a,
          "Leaf of each row of a raw table.");
    m.def("leaves_of_rows", &leaves_of_rows<float>, "test"_a, "left"_a, "questions"_a, "columns"_a, "n_rows"_a);
    m.def("greedy_tree", &greedy_tree, "words"_a, "n_bits"_a, "labels"_a, "n_classes"_a, "seconds"_a,
          "A pure tree by information gain while the seconds last: feature, left child and label of each node.");
    m.def("iti_tree", &iti_tree, "words"_a, "n_bits"_a, "labels"_a, "n_classes"_a, "order"_a, "seconds"_a,
          "A pure tree from the examples one by one, in the form of greedy_tree; None if the seconds were too few.");
    m.def("best_trees", &best_trees, "label"_a, "edge_start"_a, "question"_a, "no"_a, "yes"_a, "roots"_a, "words"_a,
          "n_bits"_a, "scores"_a, "most_loss"_a, "most_bytes"_a, "seconds"_a,
          "The trees of an AND/OR graph that score best on rows, or at most so much less: the best score, and their "
          "graph as (node, edge_start, edge, no, yes, roots), nodes and edges by their old numbers, and what the trees "
          "of each root lose. None if the seconds were too few; MemoryError if the bytes were.");
    m.def("class_shares", &class_shares, "label"_a, "edge_start"_a, "question"_a, "no"_a, "yes"_a, "roots"_a, "words"_a,
          "n_bits"_a, "edge_weight"_a, "root_weight"_a, "n_classes"_a, "cells_at_once"_a, "seconds"_a,
          "The share of the trees of an AND/OR graph that say each class of each row: a row of shares for each. None if "
          "the seconds were too few.");
    nb::class_<Search>(m, "Search", "The exact search for minimum pure trees.")
        .def(nb::new_(&make_search), "words"_a, "n_bits"_a, "labels"_a, "n_classes"_a, "n_rows"_a, "weights"_a,
             "is_root"_a, "max_depth"_a.none(), "min_leaf"_a, "max_bytes"_a)
        .def("run", &run_search, "enough"_a, "on_lower"_a, "on_tree"_a, "seconds"_a,
             "Search for a best tree: True when it was handed over, or when none is better than enough; False if there "
             "is no tree; None if the seconds were too few: run again to go on.")
        .def("forest", &search_forest, "size"_a, "extra"_a, "max_bytes"_a, "seconds"_a,
             "All trees of the least number of tests, and of so many more: label, size, edge_start, feature, no, yes, "
             "roots. None if the seconds were too few; MemoryError if the bytes were.")
        .def("proof", &search_proof, "bound"_a, "max_bytes"_a, "seconds"_a,
             "The log of a proof that no tree has fewer tests than a bound that a run has shown. None if the seconds were "
             "too few; MemoryError if the bytes were.");
    nb::class_<LocalSearch>(m, "LocalSearch", "Local search for cheap models of a weighted formula.")
        .def(nb::new_(&make_local_search), "n_vars"_a)
        .def("add", &add_clauses, "block"_a, "weights"_a,
             "Take a block of clauses: soft ones with their weights, hard ones with no weights. All before the first run.")
        .def("run", &run_local_search, "given"_a, "seed"_a, "most_steps"_a, "enough"_a, "on_model"_a, "seconds"_a,
             "Walk from the literals given: True when a model was handed over that costs no more than is enough, or than "
             "any model must; False if there is no model, by unit propagation; None if the seconds or the steps without "
             "a better model were too few.");
    m.def("format_clauses", &format_block, "block"_a, "prefix"_a,
          "One line of text for each clause of a block, each with a prefix.");
    m.def("parse_dimacs", &parse_text, "text"_a,
          "Hard literals and ends, soft literals and ends, spans of weights and notes, and (highest variable seen, "
          "variables and clauses of the p line or -1). ValueError(place, what was expected).");
    m.def("drat_to_text", &rewrite_drat, "proof"_a,
          "The complete steps of a proof in bytes as text, and how many bytes they took. ValueError(place, what was "
          "expected).");
    m.def("check_rup", &rup_verdict, "formula"_a, "proof"_a, "on_lrat"_a.none(), "max_bytes"_a, "seconds"_a,
          "Check that a DRAT proof in text refutes a formula, by unit propagation alone: whether it does, the place of "
          "the step that does not follow (None if only the empty clause is missing), the clauses checked, and those of "
          "the LRAT proof that was handed over in pieces, if asked for. None if the seconds were too few; MemoryError "
          "if the bytes were; ValueError(whether it is in the formula, place, what was expected).");
}
