/* The coverability kernel, spoken to by raceproof/petri/solver.py: this comment is the contract.
 *
 * Standard input, words separated by white space; a marking is K P N P N ... (K places, ascending, N tokens each):
 *
 *     net PLACES                     places are 0 ... PLACES-1
 *     initial MARKING
 *     unbounded K P P ...            places with any number of tokens at the beginning
 *     transition MARKING MARKING     what it takes, what it gives; numbered from 0
 *     target MARKING
 *     time SECONDS                   0: no limit
 *     memory MEGABYTES               0: no limit
 *     end
 *
 * Standard output, a record a line:
 *
 *     progress SECONDS KEPT QUEUED INVARIANTS FORWARD
 *     invariant BOUND P N P N ...    \ of a safe net: the certificate
 *     basis P N P N ...              /
 *     start P N P N ...              \ of an unsafe net: the run
 *     fire T T T ...                 / several lines make one sequence
 *     stat NAME VALUE
 *     end safe | end unsafe | end unknown REASON
 *
 * The exit status is 0 after an `end` record, 2 if the input is not as above, 3 after a mistake of its own. */
#ifndef RP_COVER_H
#define RP_COVER_H

#include <cstdint>
#include <optional>
#include <vector>

namespace cover {

using Place = uint32_t;
using Count = int64_t;

struct Token {
    Place place;
    Count count;
    bool operator==(const Token &) const = default;
};

/* Sorted by place, counts above zero. */
using Marking = std::vector<Token>;

struct Transition {
    Marking pre, post;
};

struct Net {
    uint32_t places = 0;
    std::vector<Transition> transitions;
    Marking initial;
    std::vector<Place> unbounded;
    std::vector<Marking> targets;
};

struct Invariant {
    Marking weights;
    Count bound;
};

struct Certificate {
    std::vector<Marking> basis;
    std::vector<Invariant> invariants;
};

struct Run {
    Marking start;
    std::vector<uint32_t> firing;
};

/* Runs with more steps are not written down. */
constexpr size_t LONGEST_RUN = 20'000'000;

/* Ends the process with what is known so far. There are no exceptions: with them a runtime library would have to be built
 * before the first net is solved, which takes a minute. */
[[noreturn]] void give_up(const char *reason);
/* The same for what can only be a mistake in this program. */
[[noreturn]] void fail(const char *what);

double seconds();

inline Count sum_of(Count a, Count b) {
    Count result;
    if (__builtin_add_overflow(a, b, &result) || result == INT64_MAX) give_up("numbers too large");
    return result;
}

} // namespace cover

#endif
