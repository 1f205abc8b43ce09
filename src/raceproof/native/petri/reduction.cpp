#include "reduction.h"

#include <algorithm>

namespace cover {

Reduction::Reduction(const Net &original)
    : original(original), is_unbounded(original.places), is_marked(original.places),
      is_dead(original.transitions.size()), is_relevant_place(original.places),
      is_relevant_transition(original.transitions.size()) {
    fill_unbounded();
    find_dead();
    find_relevant();
    build();
}

void Reduction::fill_unbounded() {
    for (Place p : original.unbounded) is_unbounded[p] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < original.transitions.size(); i++) {
            const Transition &t = original.transitions[i];
            if (!std::all_of(t.pre.begin(), t.pre.end(), [&](const Token &x) { return is_unbounded[x.place]; })) continue;
            for (const Token &x : t.post) {
                if (is_unbounded[x.place]) continue;
                is_unbounded[x.place] = changed = true;
                pumps.push_back({x.place, i});
            }
        }
    }
}

void Reduction::find_dead() {
    for (Place p = 0; p < original.places; p++) is_marked[p] = is_unbounded[p];
    for (const Token &x : original.initial) is_marked[x.place] = true;
    std::fill(is_dead.begin(), is_dead.end(), true);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < original.transitions.size(); i++) {
            const Transition &t = original.transitions[i];
            if (!is_dead[i]) continue;
            if (!std::all_of(t.pre.begin(), t.pre.end(), [&](const Token &x) { return is_marked[x.place]; })) continue;
            is_dead[i] = false;
            changed = true;
            for (const Token &x : t.post) is_marked[x.place] = true;
        }
    }
}

void Reduction::find_relevant() {
    auto need = [&](Tokens marking) {
        bool changed = false;
        for (const Token &x : marking) {
            if (is_unbounded[x.place] || is_relevant_place[x.place]) continue;
            is_relevant_place[x.place] = changed = true;
        }
        return changed;
    };
    for (uint32_t i = 0; i < original.targets.size(); i++) {
        const Marking &m = original.targets[i];
        if (!std::all_of(m.begin(), m.end(), [&](const Token &x) { return is_marked[x.place]; })) continue;
        target_of.push_back(i);
        need(m);
    }
    for (bool changed = true; changed;) {
        changed = false;
        /* Backwards: nets of programs list transitions in the order in which they run, and one round is enough. */
        for (size_t i = original.transitions.size(); i-- > 0;) {
            const Transition &t = original.transitions[i];
            if (is_dead[i] || is_relevant_transition[i]) continue;
            bool adds = std::any_of(t.post.begin(), t.post.end(), [&](const Token &x) {
                return is_relevant_place[x.place] && x.count > count_in(t.pre, x.place);
            });
            if (!adds) continue;
            is_relevant_transition[i] = changed = true;
            need(t.pre);
        }
    }
}

void Reduction::build() {
    std::vector<Place> number(original.places);
    for (Place p = 0; p < original.places; p++) {
        if (!is_relevant_place[p]) continue;
        number[p] = place_of.size();
        place_of.push_back(p);
    }
    auto reduced = [&](Tokens marking) {
        Marking result;
        for (const Token &x : marking)
            if (is_relevant_place[x.place]) result.push_back({number[x.place], x.count});
        return result;
    };
    net.places = place_of.size();
    net.initial = reduced(original.initial);
    for (uint32_t i : target_of) net.targets.push_back(reduced(original.targets[i]));
    for (uint32_t i = 0; i < original.transitions.size(); i++) {
        if (!is_relevant_transition[i]) continue;
        transition_of.push_back(i);
        net.transitions.push_back({reduced(original.transitions[i].pre), reduced(original.transitions[i].post)});
    }
}

Marking Reduction::in_original(Tokens marking) const {
    Marking result;
    for (const Token &x : marking) result.push_back({place_of[x.place], x.count});
    return result;
}

/* Places without a token for ever that stop the transitions left out as dead: a token there is added to what cannot
 * happen, so that whoever checks the certificate sees why those transitions need no look. */
std::vector<Place> Reduction::closed_dead_places() const {
    std::vector<char> matters = is_relevant_place;
    std::vector<Place> result;
    auto block = [&](Tokens marking) {
        for (const Token &x : marking)
            if (!is_marked[x.place] && matters[x.place]) return false;
        for (const Token &x : marking)
            if (!is_marked[x.place]) {
                matters[x.place] = true;
                result.push_back(x.place);
                return true;
            }
        return false;
    };
    for (const Marking &target : original.targets) block(target);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < original.transitions.size(); i++) {
            const Transition &t = original.transitions[i];
            if (!is_dead[i]) continue;
            bool adds = std::any_of(t.post.begin(), t.post.end(), [&](const Token &x) { return matters[x.place]; });
            if (adds && block(t.pre)) changed = true;
        }
    }
    return result;
}

Certificate Reduction::in_original(const Certificate &found) const {
    Certificate result;
    for (const Marking &m : found.basis) result.basis.push_back(in_original(m));
    for (Place p : closed_dead_places()) result.basis.push_back({{p, 1}});
    for (const Invariant &i : found.invariants) result.invariants.push_back({in_original(i.weights), i.bound});
    return result;
}

Run Reduction::in_original(const std::vector<uint32_t> &firing, uint32_t target) const {
    Run result;
    Marking needed = original.targets[target_of[target]], before;
    auto prepend = [&](uint32_t t) {
        if (result.firing.size() >= LONGEST_RUN) give_up("the run is too long to be written down");
        result.firing.push_back(t);
        predecessor(needed, original.transitions[t], before);
        needed.swap(before);
    };
    for (size_t i = firing.size(); i-- > 0;) prepend(transition_of[firing[i]]);
    for (size_t i = pumps.size(); i-- > 0;) {
        auto [place, t] = pumps[i];
        while (count_in(needed, place) > count_in(original.initial, place)) prepend(t);
    }
    std::reverse(result.firing.begin(), result.firing.end());
    result.start = original.initial;
    for (Place p : original.unbounded) {
        Count wanted = count_in(needed, p);
        if (wanted <= count_in(result.start, p)) continue;
        auto it = std::lower_bound(result.start.begin(), result.start.end(), p,
                                   [](const Token &x, Place q) { return x.place < q; });
        if (it != result.start.end() && it->place == p) it->count = wanted;
        else result.start.insert(it, {p, wanted});
    }
    if (!is_below(needed, result.start)) fail("the run cannot begin in an initial marking");
    return result;
}

} // namespace cover
