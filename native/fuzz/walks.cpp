// Predicates and walks on columns of floats and doubles with any stride, compared with naive versions.
#include <cmath>
#include <limits>

#include "../region.hpp"
#include "../walk.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

double draw_number(Bytes& bytes) {
    constexpr double kSpecial[] = {0.0, -0.0, std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(), 1e300};
    return bytes.one_in(4) ? kSpecial[bytes.below(std::size(kSpecial))] : static_cast<double>(bytes.between(-20, 20)) / 4;
}

Predicates draw_predicates(Bytes& bytes, std::size_t n_columns) {
    Predicates predicates;
    predicates.edge_start.push_back(0);
    for (std::size_t n = 1 + bytes.below(12), all_cuts = bytes.flag(); n-- > 0;) {
        std::vector<double> edges(all_cuts ? 1 : bytes.below(40));
        for (double& edge : edges) {
            do edge = draw_number(bytes);
            while (std::isnan(edge));
        }
        std::ranges::sort(edges);
        predicates.column.push_back(static_cast<std::int32_t>(bytes.below(n_columns)));
        predicates.edges.insert(predicates.edges.end(), edges.begin(), edges.end());
        predicates.edge_start.push_back(static_cast<std::int64_t>(predicates.edges.size()));
        predicates.starts_inside.push_back(bytes.flag());
        predicates.holds_missing.push_back(bytes.flag());
    }
    return predicates;
}

GrownTree draw_tree(Bytes& bytes, std::size_t n_tests) {
    GrownTree tree;
    const std::size_t max_inner = n_tests == 0 ? 0 : bytes.below(30);
    for (std::size_t n_open = 1, n_inner = 0; n_open > 0; --n_open) {
        if (n_inner < max_inner && bytes.below(3) > 0) {
            tree.add_inner(bytes.below(n_tests));
            ++n_inner;
            n_open += 2;
        } else {
            tree.add_leaf(0);
        }
    }
    return tree;
}

bool naive_answer(const Predicates& predicates, std::size_t predicate, double x) {
    if (std::isnan(x)) return predicates.holds_missing[predicate];
    bool is_inside = predicates.starts_inside[predicate];
    for (auto e = predicates.edge_start[predicate]; e < predicates.edge_start[predicate + 1]; ++e) {
        if (predicates.edges[static_cast<std::size_t>(e)] <= x) is_inside = !is_inside;
    }
    return is_inside;
}

template <class T>
void walk_columns(Bytes& bytes) {
    const std::size_t n_columns = 1 + bytes.below(4), n_rows = bytes.size(0, 140);
    const Predicates predicates = draw_predicates(bytes, n_columns);
    const GrownTree tree = draw_tree(bytes, predicates.size());
    std::vector<std::vector<T>> memory(n_columns);
    std::vector<Column<T>> columns;
    for (auto& values : memory) {
        const std::size_t stride = 1 + bytes.below(3);
        values.resize(std::max<std::size_t>(1, n_rows * stride));
        for (T& value : values) value = static_cast<T>(std::clamp(draw_number(bytes), -3e38, 3e38));  // NaN stays
        const bool is_backwards = bytes.one_in(4) && n_rows > 0;
        columns.push_back({values.data() + (is_backwards ? (n_rows - 1) * stride : 0),
                           is_backwards ? -static_cast<std::ptrdiff_t>(stride) : static_cast<std::ptrdiff_t>(stride)});
    }
    const auto value = [&](std::int32_t column, std::size_t row) {
        const Column<T>& source = columns[static_cast<std::size_t>(column)];
        return static_cast<double>(source.values[static_cast<std::ptrdiff_t>(row) * source.stride]);
    };
    std::vector<std::int32_t> out(n_rows, -7);
    leaves_of_columns({tree.feature, tree.left}, predicates, columns, out);
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::int32_t node = 0;
        while (tree.left[static_cast<std::size_t>(node)] >= 0) {
            const auto predicate = static_cast<std::size_t>(tree.feature[static_cast<std::size_t>(node)]);
            node = tree.left[static_cast<std::size_t>(node)] +
                   naive_answer(predicates, predicate, value(predicates.column[predicate], row));
        }
        expect(out[row] == node, "a row reaches its leaf");
    }
}

void walk_bits(Bytes& bytes) {
    const std::size_t n_rows = bytes.size(0, 140), n_bits = bytes.size(0, 140);
    const std::vector<Word> words = draw_bits(bytes, n_rows, n_bits);
    const GrownTree tree = draw_tree(bytes, n_bits);
    std::vector<std::int32_t> out(n_rows, -7);
    const BitRows<const Word> rows{words.data(), n_rows, n_bits};
    leaves_of_bits({tree.feature, tree.left}, rows, out);
    for (std::size_t i = 0; i < n_rows; ++i) {
        expect(static_cast<std::size_t>(out[i]) == leaf_of(tree, rows, i), "an example reaches its leaf");
    }
}

void evaluate(Bytes& bytes) {
    const Predicates predicates = draw_predicates(bytes, 1);
    std::vector<double> values(bytes.size(0, 140));
    for (double& value : values) value = draw_number(bytes);
    std::vector<Word> out(words_for(values.size()), ~Word{0});
    for (std::size_t predicate = 0; predicate < predicates.size(); ++predicate) {
        fill_membership(predicates.region(predicate), values, out);
        const BitRows<const Word> row{out.data(), 1, values.size()};
        for (std::size_t i = 0; i < values.size(); ++i) {
            expect(row.bit(0, i) == naive_answer(predicates, predicate, values[i]), "a bit is the value of the predicate");
        }
        expect(values.empty() || (out.back() & ~tail_mask(values.size())) == 0, "bits past the end are zero");
    }
}

const Target regions("region", evaluate), bits("walk bits", walk_bits), floats("walk floats", walk_columns<float>),
    doubles("walk doubles", walk_columns<double>);

}  // namespace
}  // namespace puretree::fuzz
