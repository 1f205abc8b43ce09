#include "state_equation.h"

#include <algorithm>
#include <cmath>

namespace cover {

constexpr double SMALL = 1e-9, FEASIBLE = 1e-5;
constexpr size_t MOST_ROWS = 1500;

StateEquation::StateEquation(const Net &net, const std::vector<std::vector<uint32_t>> &producers, Tokens marking)
    : net(net), producers(producers), row_of(net.places, NONE), priced(net.transitions.size()),
      noise(88172645463325252ULL) {
    for (const Token &x : marking) {
        Count wanted = x.count - count_in(net.initial, x.place);
        if (wanted > 0) add_row(x.place, double(wanted));
    }
}

/* A row whose slack is basic. Rows that want nothing get a tiny bit of slack more, which keeps the simplex method from
 * going in circles; what comes of it is checked exactly afterwards. */
uint32_t StateEquation::add_row(Place place, double wanted) {
    uint32_t row = rows.size();
    rows.push_back(place);
    row_of[place] = row;
    for (auto &line : inverse) line.push_back(0);
    std::vector<double> line(row + 1, 0.0);
    if (wanted > 0) {
        line[row] = 1;
        basis.push_back({Kind::MISSING, row});
        values.push_back(wanted);
    } else {
        double value = -wanted;
        for (uint32_t i = 0; i < row; i++) {
            if (basis[i].kind != Kind::FIRED) continue;
            const Transition &t = net.transitions[basis[i].number];
            double effect = double(count_in(t.post, place)) - double(count_in(t.pre, place));
            if (effect == 0) continue;
            for (uint32_t j = 0; j < row; j++) line[j] += effect * inverse[i][j];
            value += effect * values[i];
        }
        line[row] = -1;
        noise ^= noise << 13, noise ^= noise >> 7, noise ^= noise << 17;
        basis.push_back({Kind::SURPLUS, row});
        values.push_back(value + 1e-7 * (1 + double(noise >> 40) / double(1 << 24)));
    }
    inverse.push_back(std::move(line));
    return row;
}

void StateEquation::price() {
    prices.assign(rows.size(), 0);
    for (size_t i = 0; i < rows.size(); i++) {
        if (basis[i].kind != Kind::MISSING) continue;
        for (size_t j = 0; j < rows.size(); j++) prices[j] += inverse[i][j];
    }
}

std::optional<uint32_t> StateEquation::entering_transition() {
    std::fill(priced.begin(), priced.end(), 0);
    std::optional<uint32_t> best;
    double best_gain = 1e-7;
    for (size_t row = 0; row < rows.size(); row++) {
        if (prices[row] <= SMALL) continue;
        for (uint32_t number : producers[rows[row]]) {
            if (priced[number]) continue;
            priced[number] = 1;
            const Transition &t = net.transitions[number];
            double gain = 0, size = 0;
            auto add = [&](const Token &x, double sign) {
                size += double(x.count) * double(x.count);
                if (uint32_t r = row_of[x.place]; r != NONE) gain += sign * prices[r] * double(x.count);
            };
            for (const Token &x : t.post) add(x, 1);
            for (const Token &x : t.pre) add(x, -1);
            if (gain <= 1e-7) continue;
            gain /= std::sqrt(size);
            if (gain > best_gain) best_gain = gain, best = number;
        }
    }
    return best;
}

std::optional<uint32_t> StateEquation::entering_surplus() const {
    std::optional<uint32_t> best;
    double least = -1e-7;
    for (uint32_t row = 0; row < rows.size(); row++)
        if (prices[row] < least) least = prices[row], best = row;
    return best;
}

std::vector<double> StateEquation::column_of(Basic column) {
    size_t n = rows.size();
    std::vector<double> result(n, 0.0);
    auto add = [&](uint32_t row, double effect) {
        for (size_t i = 0; i < n; i++) result[i] += inverse[i][row] * effect;
    };
    if (column.kind == Kind::SURPLUS) {
        add(column.number, -1);
        return result;
    }
    const Transition &t = net.transitions[column.number];
    for (const Token &x : t.post)
        if (uint32_t r = row_of[x.place]; r != NONE) add(r, double(x.count));
    for (const Token &x : t.pre)
        if (uint32_t r = row_of[x.place]; r != NONE) add(r, -double(x.count));
    return result;
}

bool StateEquation::enter(Basic column) {
    if (column.kind == Kind::FIRED) {
        const Transition &t = net.transitions[column.number];
        for (const Token &x : t.pre)
            if (x.count > count_in(t.post, x.place) && row_of[x.place] == NONE)
                add_row(x.place, -double(count_in(net.initial, x.place)));
    }
    std::vector<double> direction = column_of(column);
    size_t n = rows.size(), leaving = n;
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (direction[i] <= 1e-8) continue;
        double ratio = std::max(values[i], 0.0) / direction[i];
        if (ratio < least - 1e-12 || (ratio < least + 1e-12 && direction[i] > direction[leaving])) least = ratio, leaving = i;
    }
    if (leaving == n) return false;
    double pivot = direction[leaving];
    for (double &x : inverse[leaving]) x /= pivot;
    for (size_t i = 0; i < n; i++) {
        if (i == leaving || std::abs(direction[i]) < 1e-12) continue;
        values[i] -= direction[i] * least;
        double factor = direction[i];
        double *to = inverse[i].data();
        const double *from = inverse[leaving].data();
        for (size_t j = 0; j < n; j++) to[j] -= factor * from[j];
    }
    values[leaving] = least;
    basis[leaving] = column;
    return true;
}

std::vector<std::pair<Place, double>> StateEquation::weights(double until) {
    for (;;) {
        double missing = 0;
        for (size_t i = 0; i < rows.size(); i++)
            if (basis[i].kind == Kind::MISSING) missing += values[i];
        if (missing < FEASIBLE || rows.size() > MOST_ROWS || seconds() > until) return {};
        price();
        bool entered;
        if (auto row = entering_surplus()) entered = enter({Kind::SURPLUS, *row});
        else if (auto t = entering_transition()) entered = enter({Kind::FIRED, *t});
        else break;
        if (!entered) return {};
    }
    std::vector<std::pair<Place, double>> result;
    for (size_t i = 0; i < rows.size(); i++)
        if (prices[i] > 1e-7) result.push_back({rows[i], prices[i]});
    return result;
}

} // namespace cover
