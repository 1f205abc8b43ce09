/* The state equation: is there x >= 0 with initial + C x >= marking? If not, weights that show it. */
#ifndef RP_STATE_EQUATION_H
#define RP_STATE_EQUATION_H

#include "markings.h"

namespace cover {

/* Minimises what is missing, sum of s, over  C x + s - w = marking - initial;  x, s, w >= 0  by the revised simplex
 * method, in floating point. Transitions (columns) come in when their price asks for it, places (rows) when a transition
 * takes tokens from them: what the marking does not depend on is never looked at. If something stays missing, the prices
 * of the rows are the weights. */
class StateEquation {
  public:
    /* producers: by place, the transitions that add to it. */
    StateEquation(const Net &net, const std::vector<std::vector<uint32_t>> &producers, Tokens marking);
    /* The weights; empty if there is a solution, or it is not known by then. */
    std::vector<std::pair<Place, double>> weights(double until);

  private:
    enum class Kind { MISSING, SURPLUS, FIRED };
    struct Basic {
        Kind kind;
        uint32_t number; /* row, or transition */
    };
    uint32_t add_row(Place place, double wanted);
    void price();
    std::optional<uint32_t> entering_transition();
    std::optional<uint32_t> entering_surplus() const;
    bool enter(Basic column);
    std::vector<double> column_of(Basic column);

    static constexpr uint32_t NONE = UINT32_MAX;
    const Net &net;
    const std::vector<std::vector<uint32_t>> &producers;
    std::vector<Place> rows;
    std::vector<uint32_t> row_of; /* by place; NONE */
    std::vector<char> priced;     /* by transition: looked at in this round */
    std::vector<std::vector<double>> inverse;
    std::vector<Basic> basis;
    std::vector<double> values, prices;
    uint64_t noise;
};

} // namespace cover

#endif
