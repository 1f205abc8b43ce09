#include "backward.h"

#include <algorithm>

namespace cover {

Backward::Backward(const Net &net, Invariants &invariants)
    : net(net), invariants(invariants), index(net.places), producers(net.places), seen(net.transitions.size()),
      started(seconds()) {
    begin();
}

Backward::Backward(const Net &net, Invariants &invariants, Index &reachable)
    : net(net), invariants(invariants), reachable(&reachable), index(net.places), producers(net.places),
      seen(net.transitions.size()), started(seconds()) {
    begin();
}

void Backward::begin() {
    for (uint32_t i = 0; i < net.transitions.size(); i++)
        for (const Token &x : net.transitions[i].post)
            if (x.count > count_in(net.transitions[i].pre, x.place)) producers[x.place].push_back(i);
    for (uint32_t i = 0; i < net.targets.size() && reached == NONE; i++) {
        Marking target = net.targets[i];
        offer(target, NONE, i);
    }
}

Progress Backward::advance(double until) {
    if (reached != NONE) return Progress::UNSAFE;
    while (!queue.empty()) {
        if (seconds() > until) return Progress::RUNNING;
        uint32_t node = queue.top().node;
        queue.pop();
        iterations++;
        if (!expand(node)) return Progress::UNSAFE;
    }
    return Progress::SAFE;
}

/* A marking from which a target can be covered; false if it is an initial one. */
bool Backward::offer(Marking &marking, uint32_t parent, uint32_t transition) {
    bool is_initial = is_below(marking, net.initial);
    if (!is_initial) {
        if (index.find_below(marking) != Index::NONE) return subsumed++, true;
        if (reachable) shrink(marking);
        else if (invariants.broken_by(marking)) return pruned++, true;
    }
    if (nodes.size() >= NONE - 1) give_up("too many markings");
    uint32_t node = nodes.size();
    nodes.push_back({arena.store(marking), parent, transition});
    if (is_initial) return reached = node, false;
    queue.push({total_of(marking), node});
    return true;
}

/* The part of [PN, Fig. 4] that looks at one configuration of the work list. */
bool Backward::expand(uint32_t node) {
    Tokens marking = nodes[node].marking;
    if (index.find_below(marking) != Index::NONE) return subsumed++, true;
    if (!reachable && is_unreachable(marking)) return pruned++, true;
    for (uint32_t above : index.all_above(marking)) {
        index.remove(above);
        subsumed++;
    }
    index.add(node, marking);
    bool goes_on = true;
    each_predecessor(marking, [&](uint32_t t, Marking &before) {
        goes_on = offer(before, node, t);
        return goes_on;
    });
    return goes_on;
}

/* Only transitions that add to a place of the marking: the predecessor by any other covers the marking itself. */
template <class Each> void Backward::each_predecessor(Tokens marking, Each each) {
    Marking before;
    round++;
    for (const Token &x : marking)
        for (uint32_t t : producers[x.place]) {
            if (seen[t] == round) continue;
            seen[t] = round;
            predecessor(marking, net.transitions[t], before);
            if (!each(t, before)) return;
        }
}

bool Backward::is_unreachable(Tokens marking) {
    if (invariants.broken_by(marking)) return true;
    double now = seconds(), active = now - started;
    if (usefulness < 0.05 && invariants.spent > 0.1 + 0.25 * active) return false;
    std::optional<uint32_t> found = invariants.find(marking, now + 0.1 + 0.1 * active);
    usefulness = 0.98 * usefulness + (found ? 0.02 : 0);
    if (found) forget_broken(*found);
    return found.has_value();
}

void Backward::forget_broken(uint32_t invariant) {
    for (uint32_t id : index.all()) {
        if (!invariants.is_broken(invariant, nodes[id].marking)) continue;
        index.remove(id);
        pruned++;
    }
}

/* Fewer tokens, as long as the marking stays outside of what can be covered. */
void Backward::shrink(Marking &marking) {
    if (reachable->find_above(marking) != Index::NONE) fail("the coverability set is not closed");
    auto is_outside = [&](Place place, Count count) {
        Marking smaller;
        for (const Token &x : marking) {
            if (x.place != place) smaller.push_back(x);
            else if (count > 0) smaller.push_back({place, count});
        }
        if (reachable->find_above(smaller) != Index::NONE) return false;
        marking.swap(smaller);
        return true;
    };
    const Marking all = marking;
    for (const Token &x : all) {
        Count low = 0, high = x.count; /* `high` is outside; is less enough? */
        while (low < high) {
            Count middle = high == x.count && low == 0 ? 0 : low + (high - low) / 2;
            if (is_outside(x.place, middle)) high = middle;
            else low = middle + 1;
        }
    }
}

Certificate Backward::certificate() {
    Certificate result;
    std::vector<uint32_t> work, used;
    std::vector<char> is_used(nodes.size()), is_invariant_used(invariants.size());
    auto justify = [&](Tokens marking) {
        for (uint32_t i : used)
            if (invariants.is_broken(i, marking)) return;
        if (uint32_t id = index.find_below(marking); id != Index::NONE) {
            if (!is_used[id]) work.push_back(id);
            is_used[id] = true;
            return;
        }
        std::optional<uint32_t> broken = invariants.broken_by(marking);
        if (!broken) fail("a predecessor is not covered");
        if (!is_invariant_used[*broken]) used.push_back(*broken);
        is_invariant_used[*broken] = true;
    };
    for (const Marking &target : net.targets) justify(target);
    while (!work.empty()) {
        Tokens marking = nodes[work.back()].marking;
        work.pop_back();
        result.basis.emplace_back(marking.begin(), marking.end());
        each_predecessor(marking, [&](uint32_t, Marking &before) { return justify(before), true; });
    }
    for (uint32_t i : used) result.invariants.push_back(invariants[i]);
    return result;
}

std::vector<uint32_t> Backward::firing() const {
    std::vector<uint32_t> result;
    for (uint32_t node = reached; nodes[node].parent != NONE; node = nodes[node].parent)
        result.push_back(nodes[node].transition);
    return result;
}

uint32_t Backward::target() const {
    uint32_t node = reached;
    while (nodes[node].parent != NONE) node = nodes[node].parent;
    return nodes[node].transition;
}

} // namespace cover
