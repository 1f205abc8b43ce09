/* Backward coverability: from the targets to what could lead there, up to an initial marking or a fixpoint. */
#ifndef RP_BACKWARD_H
#define RP_BACKWARD_H

#include "invariants.h"

#include <queue>

namespace cover {

enum class Progress { RUNNING, SAFE, UNSAFE, STUCK };

class Backward {
  public:
    Backward(const Net &net, Invariants &invariants);
    /* With all that can be covered (`reachable`, maximal markings with OMEGA): what lies outside is made as small as it
     * can be before it is kept. That takes the place of invariants. */
    Backward(const Net &net, Invariants &invariants, Index &reachable);

    Progress advance(double until);
    /* Of a safe net. */
    Certificate certificate();
    /* Of an unsafe one. */
    std::vector<uint32_t> firing() const;
    uint32_t target() const;

    size_t kept() const { return index.size(); }
    size_t queued() const { return queue.size(); }
    uint64_t subsumed = 0, pruned = 0, iterations = 0;

  private:
    struct Node {
        Tokens marking;
        uint32_t parent;     /* NONE: a target */
        uint32_t transition; /* the number of the target, if it is one */
    };
    struct Waiting {
        Count total;
        uint32_t node;
        bool operator<(const Waiting &b) const { return total != b.total ? total > b.total : node > b.node; }
    };
    void begin();
    bool offer(Marking &marking, uint32_t parent, uint32_t transition);
    bool expand(uint32_t node);
    bool is_unreachable(Tokens marking);
    void forget_broken(uint32_t invariant);
    void shrink(Marking &marking);
    template <class Each> void each_predecessor(Tokens marking, Each each);

    static constexpr uint32_t NONE = UINT32_MAX;
    const Net &net;
    Invariants &invariants;
    Index *reachable = nullptr;
    Index index;
    Arena arena;
    std::vector<Node> nodes;
    std::priority_queue<Waiting> queue;
    std::vector<std::vector<uint32_t>> producers;
    std::vector<uint32_t> seen; /* by transition: the round in which it was looked at */
    uint32_t round = 0;
    uint32_t reached = NONE;
    double started, usefulness = 1; /* of the search for invariants, of late */
};

} // namespace cover

#endif
