/* Weighted sums of tokens that no transition lets grow: why a marking cannot be reached. */
#ifndef RP_INVARIANTS_H
#define RP_INVARIANTS_H

#include "markings.h"

namespace cover {

/* Invariants of one net, found when a marking needs one and kept for the next. All arithmetic that a verdict rests on is
 * in whole numbers; floating point only says where to look. */
class Invariants {
  public:
    explicit Invariants(const Net &net);

    /* An invariant that the marking breaks, among those that are known. */
    std::optional<uint32_t> broken_by(Tokens marking);
    /* Looks for a new one: the state equation has no solution. */
    std::optional<uint32_t> find(Tokens marking, double until);
    bool is_broken(uint32_t invariant, Tokens marking) const;
    size_t size() const { return known.size(); }
    const Invariant &operator[](uint32_t i) const { return known[i].invariant; }

    double spent = 0;
    uint64_t tried = 0, found = 0;

  private:
    struct Known {
        Invariant invariant;
        std::vector<Count> weights; /* by place */
    };
    /* Which places a transition that would add to the sum lends a weight to: those that it takes from. */
    enum class Choice { ALL, MARKED, EMPTY };
    std::optional<uint32_t> spread(Tokens marking, Choice choice);
    /* Weights by place, as they come out of the linear program. */
    std::optional<uint32_t> add(const std::vector<std::pair<Place, double>> &weights, Tokens marking);
    bool never_grows(const std::vector<Count> &weights) const;

    const Net &net;
    std::vector<std::vector<uint32_t>> producers;
    std::vector<Known> known;
    std::vector<uint32_t> order; /* those that were of use lately come first */
};

} // namespace cover

#endif
