/* Forward search with acceleration [KM69]: finds runs to a target, and all that can be covered if that is finite. */
#ifndef RP_FORWARD_H
#define RP_FORWARD_H

#include "backward.h"

namespace cover {

class Forward {
  public:
    explicit Forward(const Net &net);

    /* SAFE: all that can be covered is known, and no target is. STUCK: numbers became too large. */
    Progress advance(double until);
    /* Of an unsafe net: accelerated loops written out. */
    std::vector<uint32_t> firing() const;
    uint32_t target() const { return covered; }
    /* The maximal markings, once the search has come to its end. */
    Index &reachable() { return index; }
    size_t size() const { return nodes.size(); }

  private:
    /* Repeating what leads from the ancestor to the node lets these places grow without end; from how many tokens on. */
    struct Acceleration {
        uint32_t ancestor;
        Marking grown;
    };
    struct Node {
        Tokens marking;
        uint32_t parent, transition;
        std::vector<Acceleration> accelerations;
    };
    struct Waiting {
        int32_t priority;
        uint32_t node;
        bool operator<(const Waiting &b) const { return priority != b.priority ? priority < b.priority : node > b.node; }
    };
    bool expand(uint32_t node);
    bool add(Marking &marking, uint32_t parent, uint32_t transition);
    std::vector<Acceleration> accelerate(Marking &marking, uint32_t parent) const;
    void unroll(uint32_t node, size_t accelerations, uint32_t stop, Marking &needed, std::vector<uint32_t> &reversed) const;

    static constexpr uint32_t NONE = UINT32_MAX;
    const Net &net;
    Index index;
    Arena arena;
    std::vector<Node> nodes;
    std::priority_queue<Waiting> queue;
    std::vector<std::vector<uint32_t>> consumers; /* by the place of its `pre` that has the fewest */
    std::vector<uint32_t> sources;                /* transitions that need nothing */
    uint32_t covered = NONE;                      /* target */
    bool is_complete = true;
};

} // namespace cover

#endif
