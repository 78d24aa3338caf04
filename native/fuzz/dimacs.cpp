// DIMACS text: formatted clauses are parsed back, and any other input gives a formula or an error with an offset.
#include "../dimacs.hpp"

#include <limits>
#include <string>

#include "problem.hpp"

namespace puretree::fuzz {
namespace {

std::string draw_formula(Bytes& bytes, std::vector<std::int32_t>& literals, std::size_t width) {
    const std::size_t n_rows = bytes.below(12);
    literals.resize(n_rows * width);
    for (auto& literal : literals) {
        constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
        literal = bytes.one_in(9) ? (bytes.flag() ? kMost : -kMost) : static_cast<std::int32_t>(bytes.between(-9, 9));
    }
    std::string text;
    format_clauses(literals, n_rows, width, "h ", text);
    return text;
}

void parse(const std::string& text) {
    try {
        const DimacsText parsed = parse_dimacs(text);
        const auto check = [&](const ClauseList& clauses) {
            std::int64_t last = 0;
            for (const std::int64_t end : clauses.ends) {
                expect(last <= end, "the ends of clauses ascend");
                last = end;
            }
            expect(last == static_cast<std::int64_t>(clauses.literals.size()), "every literal is in a clause");
        };
        check(parsed.hard);
        check(parsed.soft);
        expect(parsed.weights.size() == parsed.soft.ends.size(), "every soft clause has a weight");
        for (const auto& spans : {parsed.weights, parsed.notes}) {
            for (const Span& span : spans) {
                expect(0 <= span.begin && span.begin <= span.end && span.end <= static_cast<std::int64_t>(text.size()),
                       "a span is within the text");
            }
        }
    } catch (const DimacsError& error) {
        expect(error.offset <= text.size() && error.expected != nullptr, "an error has an offset");
    }
}

void format_and_parse(Bytes& bytes) {
    const std::size_t width = bytes.below(6);
    std::vector<std::int32_t> literals;
    const DimacsText parsed = parse_dimacs(draw_formula(bytes, literals, width));
    std::erase(literals, 0);  // padding
    expect(parsed.hard.literals == literals, "literals are parsed as they were formatted");
    expect(parsed.soft.ends.empty() && !parsed.n_vars, "nothing else is parsed");
}

void mutate_and_parse(Bytes& bytes) {
    static constexpr const char* kWords[] = {"p cnf 3 2\n", "p wcnf 3 2 9\n", "p wcnf 2 1\n", "c var 1 a\n", "c n_vars 9\r\n",
                                             "h ", "0", "-", " 99999999999999999999 ", "-0", "%", "\n", "c", "\t", "7 "};
    std::vector<std::int32_t> literals;
    std::string text = draw_formula(bytes, literals, 1 + bytes.below(4));
    for (std::size_t n = bytes.below(12); n-- > 0;) {
        const std::size_t at = bytes.below(text.size() + 1);
        if (bytes.flag()) text.insert(at, kWords[bytes.below(std::size(kWords))]);
        else if (bytes.flag()) text.insert(at, 1, static_cast<char>(bytes.byte()));
        else text.erase(at, bytes.below(5));
    }
    parse(text);
}

void parse_anything(Bytes& bytes) {
    const auto rest = bytes.rest();
    parse(std::string(rest.begin(), rest.end()));
}

const Target formatted("dimacs written", format_and_parse), mutated("dimacs mutated", mutate_and_parse),
    anything("dimacs", parse_anything);

}  // namespace
}  // namespace puretree::fuzz
