#include "invariants.h"
#include "state_equation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cover {

using Wide = __int128;

/* Weights stay below this: products with 64-bit counts and their sums then fit 128 bits. */
constexpr double LARGEST_WEIGHT = 1e12;
constexpr double LARGEST_DENOMINATOR = 100'000;

Invariants::Invariants(const Net &net) : net(net), producers(net.places) {
    for (uint32_t i = 0; i < net.transitions.size(); i++)
        for (const Token &x : net.transitions[i].post)
            if (x.count > count_in(net.transitions[i].pre, x.place)) producers[x.place].push_back(i);
}

bool Invariants::is_broken(uint32_t invariant, Tokens marking) const {
    const Known &k = known[invariant];
    Wide sum = 0;
    for (const Token &x : marking) sum += Wide(k.weights[x.place]) * x.count;
    return sum > k.invariant.bound;
}

std::optional<uint32_t> Invariants::broken_by(Tokens marking) {
    for (size_t i = 0; i < order.size(); i++) {
        if (!is_broken(order[i], marking)) continue;
        uint32_t result = order[i];
        if (i > 0) std::swap(order[i], order[i / 2]);
        return result;
    }
    return {};
}

std::optional<uint32_t> Invariants::find(Tokens marking, double until) {
    double begin = seconds();
    tried++;
    std::optional<uint32_t> result;
    for (Choice choice : {Choice::ALL, Choice::MARKED, Choice::EMPTY})
        if (!result) result = spread(marking, choice);
    if (!result) result = add(StateEquation(net, producers, marking).weights(until), marking);
    if (result) found++;
    spent += seconds() - begin;
    return result;
}

/* Weights of one, from the places of the marking to those that their tokens come from: linear in the size of the net, and
 * often enough (one token that moves along the places of a thread, a lock and its sections). */
std::optional<uint32_t> Invariants::spread(Tokens marking, Choice choice) {
    std::vector<char> has_weight(net.places);
    std::vector<std::pair<Place, double>> weights;
    auto give = [&](Place place) {
        if (has_weight[place]) return;
        has_weight[place] = 1;
        weights.push_back({place, 1.0});
    };
    for (const Token &x : marking) give(x.place);
    for (size_t i = 0; i < weights.size(); i++)
        for (uint32_t number : producers[weights[i].first]) {
            const Transition &t = net.transitions[number];
            Wide effect = 0;
            for (const Token &x : t.post) effect += has_weight[x.place] ? x.count : 0;
            for (const Token &x : t.pre) effect -= has_weight[x.place] ? x.count : 0;
            bool is_first = true;
            for (const Token &x : t.pre) {
                if (effect <= 0 || has_weight[x.place]) continue;
                bool is_marked = count_in(net.initial, x.place) > 0;
                bool is_chosen = choice == Choice::ALL || is_marked == (choice == Choice::MARKED) || &x == &t.pre.back();
                if (!is_chosen || !is_first) continue;
                give(x.place);
                is_first = choice == Choice::ALL;
            }
        }
    return add(weights, marking);
}

/* The least denominator of a fraction that is as good as `x`. */
static double denominator_of(double x) {
    double before = 0, denominator = 1, rest = x;
    for (int i = 0; i < 30; i++) {
        if (std::abs(x * denominator - std::round(x * denominator)) < 1e-6) return denominator;
        rest = rest - std::floor(rest);
        if (rest < 1e-12) return denominator;
        rest = 1 / rest;
        double next = std::floor(rest) * denominator + before;
        before = denominator;
        denominator = next;
        if (denominator > LARGEST_DENOMINATOR) return 0;
    }
    return 0;
}

bool Invariants::never_grows(const std::vector<Count> &weights) const {
    for (const Transition &t : net.transitions) {
        Wide effect = 0;
        for (const Token &x : t.post) effect += Wide(weights[x.place]) * x.count;
        for (const Token &x : t.pre) effect -= Wide(weights[x.place]) * x.count;
        if (effect > 0) return false;
    }
    return true;
}

std::optional<uint32_t> Invariants::add(const std::vector<std::pair<Place, double>> &weights, Tokens marking) {
    double scale = 1;
    for (const auto &[place, weight] : weights) {
        double denominator = denominator_of(weight * scale);
        if (denominator == 0 || denominator * scale > LARGEST_WEIGHT) return {};
        scale *= denominator;
    }
    Known k;
    k.weights.assign(net.places, 0);
    Count divisor = 0;
    for (const auto &[place, weight] : weights) {
        double whole = std::round(weight * scale);
        if (whole < 0 || whole > LARGEST_WEIGHT) return {};
        k.weights[place] = Count(whole);
        divisor = std::gcd(divisor, k.weights[place]);
    }
    if (divisor == 0) return {};
    for (const auto &[place, weight] : weights) k.weights[place] /= divisor;
    Wide bound = 0;
    for (const Token &x : net.initial) bound += Wide(k.weights[x.place]) * x.count;
    if (bound >= OMEGA || !never_grows(k.weights)) return {};
    k.invariant.bound = Count(bound);
    for (Place p = 0; p < net.places; p++)
        if (k.weights[p] > 0) k.invariant.weights.push_back({p, k.weights[p]});
    known.push_back(std::move(k));
    uint32_t number = known.size() - 1;
    if (!is_broken(number, marking)) {
        known.pop_back();
        return {};
    }
    order.insert(order.begin(), number);
    return number;
}

} // namespace cover
