#include "forward.h"

#include <algorithm>

namespace cover {

Forward::Forward(const Net &net) : net(net), index(net.places), consumers(net.places) {
    std::vector<size_t> uses(net.places);
    for (const Transition &t : net.transitions)
        for (const Token &x : t.pre) uses[x.place]++;
    for (uint32_t i = 0; i < net.transitions.size(); i++) {
        const Marking &pre = net.transitions[i].pre;
        auto rarest = std::min_element(pre.begin(), pre.end(),
                                       [&](const Token &a, const Token &b) { return uses[a.place] < uses[b.place]; });
        if (rarest == pre.end()) sources.push_back(i);
        else consumers[rarest->place].push_back(i);
    }
    Marking initial = net.initial;
    add(initial, NONE, NONE);
}

Progress Forward::advance(double until) {
    if (covered != NONE) return Progress::UNSAFE;
    for (uint32_t count = 1; !queue.empty(); count++) {
        if (count % 16 == 0 && seconds() > until) return Progress::RUNNING;
        uint32_t node = queue.top().node;
        queue.pop();
        if (index.contains(node) && !expand(node)) return Progress::UNSAFE;
    }
    return is_complete ? Progress::SAFE : Progress::STUCK;
}

/* `marking` after `t`; OMEGA stays OMEGA. False if a number is too large. */
static bool successor(Tokens marking, const Transition &t, Marking &result) {
    result.clear();
    size_t i = 0, given = 0;
    while (i < marking.size() || given < t.post.size()) {
        Place place = UINT32_MAX;
        if (i < marking.size()) place = marking[i].place;
        if (given < t.post.size()) place = std::min(place, t.post[given].place);
        Count count = 0;
        if (i < marking.size() && marking[i].place == place) count = marking[i++].count;
        Count taken = count_in(t.pre, place);
        Count added = given < t.post.size() && t.post[given].place == place ? t.post[given++].count : 0;
        if (count != OMEGA && (__builtin_add_overflow(count - taken, added, &count) || count == OMEGA)) return false;
        if (count > 0) result.push_back({place, count});
    }
    return true;
}

bool Forward::expand(uint32_t node) {
    Marking after;
    auto fire = [&](uint32_t t) {
        if (!is_below(net.transitions[t].pre, nodes[node].marking)) return true;
        if (successor(nodes[node].marking, net.transitions[t], after)) return add(after, node, t);
        is_complete = false;
        return true;
    };
    for (uint32_t t : sources)
        if (!fire(t)) return false;
    const Tokens marking = nodes[node].marking;
    for (const Token &x : marking)
        for (uint32_t t : consumers[x.place])
            if (!fire(t)) return false;
    return true;
}

bool Forward::add(Marking &marking, uint32_t parent, uint32_t transition) {
    if (index.find_above(marking) != Index::NONE) return true;
    std::vector<Acceleration> accelerations = accelerate(marking, parent);
    for (uint32_t below : index.all_below(marking)) index.remove(below);
    if (nodes.size() >= NONE - 1) give_up("too many markings");
    uint32_t node = nodes.size();
    nodes.push_back({arena.store(marking), parent, transition, std::move(accelerations)});
    index.add(node, nodes[node].marking);
    for (uint32_t i = 0; i < net.targets.size(); i++) {
        if (!is_below(net.targets[i], marking)) continue;
        covered = i;
        return false;
    }
    auto infinite = std::count_if(marking.begin(), marking.end(), [](const Token &x) { return x.count == OMEGA; });
    queue.push({int32_t(infinite), node});
    return true;
}

std::vector<Forward::Acceleration> Forward::accelerate(Marking &marking, uint32_t parent) const {
    std::vector<Acceleration> result;
    uint64_t outside = ~signature_of(marking);
    for (uint32_t ancestor = parent; ancestor != NONE; ancestor = nodes[ancestor].parent) {
        Tokens smaller = nodes[ancestor].marking;
        if ((signature_of(smaller) & outside) || !is_below(smaller, marking)) continue;
        Marking grown;
        for (Token &x : marking) {
            if (x.count == OMEGA || x.count == count_in(smaller, x.place)) continue;
            grown.push_back(x);
            x.count = OMEGA;
        }
        if (!grown.empty()) result.push_back({ancestor, std::move(grown)});
    }
    return result;
}

/* Goes back from `node`, after so many of its accelerations, to `stop`: a loop is repeated until what is still needed was
 * there without it. Each round takes at least one token off every place that the loop lets grow. */
void Forward::unroll(uint32_t node, size_t accelerations, uint32_t stop, Marking &needed,
                     std::vector<uint32_t> &reversed) const {
    Marking before;
    while (node != stop) {
        for (size_t i = accelerations; i-- > 0;) {
            const Acceleration &loop = nodes[node].accelerations[i];
            auto lacks = [&](const Token &x) { return count_in(needed, x.place) > x.count; };
            while (std::any_of(loop.grown.begin(), loop.grown.end(), lacks))
                unroll(node, i, loop.ancestor, needed, reversed);
        }
        if (reversed.size() >= LONGEST_RUN) give_up("the run is too long to be written down");
        reversed.push_back(nodes[node].transition);
        predecessor(needed, net.transitions[nodes[node].transition], before);
        needed.swap(before);
        node = nodes[node].parent;
        accelerations = nodes[node].accelerations.size();
    }
}

std::vector<uint32_t> Forward::firing() const {
    std::vector<uint32_t> result;
    Marking needed = net.targets[covered];
    uint32_t node = nodes.size() - 1;
    unroll(node, nodes[node].accelerations.size(), 0, needed, result);
    std::reverse(result.begin(), result.end());
    return result;
}

} // namespace cover
