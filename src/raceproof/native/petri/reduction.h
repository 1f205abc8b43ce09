/* What cannot matter is left out before the search, and put back into what it finds. */
#ifndef RP_REDUCTION_H
#define RP_REDUCTION_H

#include "markings.h"

namespace cover {

/* The net without
 *   - places that have as many tokens as one likes (unbounded, or filled by transitions that need only such places),
 *   - transitions that can never fire because a place that they need never gets a token,
 *   - transitions that add nothing to what a target may need, and the places that only they need.
 */
class Reduction {
  public:
    explicit Reduction(const Net &original);

    Net net;
    /* Numbers in the original. */
    std::vector<uint32_t> place_of, transition_of, target_of;

    Marking in_original(Tokens marking) const;
    Certificate in_original(const Certificate &found) const;
    /* A run of the original net: `firing` and `target` are numbers in this net. */
    Run in_original(const std::vector<uint32_t> &firing, uint32_t target) const;

  private:
    void fill_unbounded();
    void find_dead();
    void find_relevant();
    void build();
    std::vector<Place> closed_dead_places() const;

    const Net &original;
    std::vector<char> is_unbounded, is_marked, is_dead, is_relevant_place, is_relevant_transition;
    /* Transitions that fill a place, in the order in which they become possible. */
    std::vector<std::pair<Place, uint32_t>> pumps;
};

} // namespace cover

#endif
