/* Octagons for raceproof/domains/octagon_kernel.py; see octagon.h for the representation.
 *
 * Follows [BHZ09] for tight closure (shortest paths, tightening, one strengthening step, in this order) and [CRK18] for
 * the incremental one; restated in docs/algorithms/octagons.md, whose steps the comments name.
 */
#include "octagon.h"

#define NONE RP_OCTAGON_NONE
#define LIMIT RP_OCTAGON_LIMIT
/* Stands for NONE in the vectors that are added: a sum with it is never below NONE, and two of them do not overflow. */
#define FAR (NONE + NONE / 2)
#define ROWS (2 * RP_OCTAGON_VARIABLES)

static size_t position(size_t i, size_t j) {
    return j <= (i | 1) ? j + (i + 1) * (i + 1) / 2 : (i ^ 1) + ((j ^ 1) + 1) * ((j ^ 1) + 1) / 2;
}

static size_t cells(size_t n) { return 2 * n * (n + 1); }

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t limited(int64_t bound) { return bound > LIMIT ? NONE : bound < -LIMIT ? -LIMIT : bound; }

static int64_t sum(int64_t a, int64_t b) { return a == NONE || b == NONE ? NONE : limited(a + b); }

/* Row i of the whole matrix, with FAR for NONE. */
static void read_row(const int64_t *m, size_t n, size_t i, int64_t *row) {
    const int64_t *stored = m + (i + 1) * (i + 1) / 2;
    size_t length = (i | 1) + 1;
    for (size_t j = 0; j < length; j++) row[j] = stored[j] == NONE ? FAR : stored[j];
    for (size_t j = length; j < 2 * n; j++) {
        int64_t entry = m[position(i, j)];
        row[j] = entry == NONE ? FAR : entry;
    }
}

/* m(i, j) := min(m(i, j), a(i^1) + p(j), b(i^1) + q(j)): paths that end with p after a, or with q after b. */
static void relax(int64_t *restrict m, size_t n, const int64_t *restrict a, const int64_t *restrict p,
                  const int64_t *restrict b, const int64_t *restrict q) {
    for (size_t i = 0; i < 2 * n; i++) {
        int64_t first = a[i ^ 1], second = b[i ^ 1];
        int64_t *restrict row = m + (i + 1) * (i + 1) / 2;
        size_t length = (i | 1) + 1;
        if (first >= NONE && second >= NONE) continue;
        for (size_t j = 0; j < length; j++) {
            int64_t one = first + p[j], two = second + q[j];
            int64_t best = one < two ? one : two;
            row[j] = best < row[j] ? best : row[j];
        }
    }
}

static int diagonal_is_negative(const int64_t *m, size_t n) {
    for (size_t i = 0; i < 2 * n; i++)
        if (m[position(i, i)] < 0) return 1;
    return 0;
}

/* Steps 3 to 5: bounds of 2v become even, then every entry may use the two unary bounds of its ends. */
static int tighten(int64_t *m, size_t n) {
    int64_t half[ROWS]; /* half[i]: half the bound of V_i^1 - V_i, that is of -V_i */
    for (size_t i = 0; i < 2 * n; i++) {
        int64_t *unary = &m[position(i, i ^ 1)];
        half[i] = *unary == NONE ? FAR : *unary >> 1;
        if (*unary != NONE) *unary = 2 * half[i];
    }
    for (size_t i = 0; i < 2 * n; i += 2)
        if (half[i] + half[i + 1] < 0) return 0;
    for (size_t i = 0; i < 2 * n; i++) {
        int64_t *restrict row = m + (i + 1) * (i + 1) / 2;
        if (half[i] == FAR) continue;
        for (size_t j = 0; j <= (i | 1); j++) row[j] = smaller(row[j], half[i] + half[j ^ 1]);
    }
    for (size_t c = 0; c < cells(n); c++) m[c] = limited(m[c]);
    return 1;
}

void rp_octagon_top(int64_t *m, size_t n) {
    for (size_t c = 0; c < cells(n); c++) m[c] = NONE;
    for (size_t i = 0; i < 2 * n; i++) m[position(i, i)] = 0;
}

int rp_octagon_close(int64_t *m, size_t n) {
    int64_t row[ROWS], bar[ROWS];
    for (size_t k = 0; k < 2 * n; k += 2) { /* steps 1 and 2, for V_k and V_k+1 together */
        read_row(m, n, k, row);
        read_row(m, n, k + 1, bar);
        int64_t there = row[k + 1], back = bar[k];
        for (size_t j = 0; j < 2 * n; j++) {
            int64_t direct = row[j];
            row[j] = smaller(direct, there >= NONE ? FAR : there + bar[j]);
            bar[j] = smaller(bar[j], back >= NONE ? FAR : back + direct);
        }
        if (row[k] < 0 || bar[k + 1] < 0) return 0;
        relax(m, n, bar, row, row, bar);
        if (diagonal_is_negative(m, n)) return 0;
    }
    return tighten(m, n);
}

int rp_octagon_add(int64_t *m, size_t n, size_t i, size_t j, int64_t bound) {
    int64_t from_j[ROWS], from_bar[ROWS], p[ROWS], q[ROWS];
    bound = limited(bound);
    if (bound >= m[position(i, j)]) return 1;
    read_row(m, n, j, from_j); /* what is behind the new edge i -> j */
    read_row(m, n, i ^ 1, from_bar); /* and behind its mirror j^1 -> i^1 */
    int64_t once = from_j[j ^ 1], again = from_bar[i];
    for (size_t t = 0; t < 2 * n; t++) {
        int64_t both = once >= NONE ? FAR : once + bound + from_bar[t];
        int64_t mirrored = again >= NONE ? FAR : again + bound + from_j[t];
        p[t] = smaller(from_j[t], both);
        q[t] = smaller(from_bar[t], mirrored);
        p[t] = p[t] >= NONE ? FAR : p[t] + bound;
        q[t] = q[t] >= NONE ? FAR : q[t] + bound;
    }
    relax(m, n, from_bar, p, from_j, q);
    return diagonal_is_negative(m, n) ? 0 : tighten(m, n);
}

void rp_octagon_lower(int64_t *m, size_t i, size_t j, int64_t bound) {
    int64_t *entry = &m[position(i, j)];
    *entry = smaller(*entry, limited(bound));
}

int64_t rp_octagon_entry(const int64_t *m, size_t i, size_t j) { return m[position(i, j)]; }

void rp_octagon_bounds(const int64_t *m, size_t n, int64_t *bounds) {
    for (size_t i = 0; i < 2 * n; i++) bounds[i] = m[position(i ^ 1, i)];
}

void rp_octagon_forget(int64_t *m, size_t n, size_t x) {
    for (size_t i = 2 * x; i <= 2 * x + 1; i++)
        for (size_t j = 0; j < 2 * n; j++) m[position(i, j)] = i == j ? 0 : NONE;
}

void rp_octagon_assign(int64_t *m, size_t n, size_t x, size_t y, int negated, int64_t low, int64_t high) {
    int64_t row[ROWS], bar[ROWS];
    size_t source = 2 * y + (negated ? 1 : 0), plus = 2 * x, minus = 2 * x + 1;
    for (size_t j = 0; j < 2 * n; j++) {
        row[j] = m[position(source, j)];
        bar[j] = m[position(source ^ 1, j)];
    }
    for (size_t j = 0; j < 2 * n; j++) {
        if (j == plus || j == minus) continue;
        m[position(plus, j)] = sum(row[j], -low);
        m[position(minus, j)] = sum(bar[j], high);
    }
    m[position(minus, plus)] = sum(bar[source], 2 * high);
    m[position(plus, minus)] = sum(row[source ^ 1], -2 * low);
}

void rp_octagon_join(int64_t *out, const int64_t *a, const int64_t *b, size_t n) {
    for (size_t c = 0; c < cells(n); c++) out[c] = a[c] > b[c] ? a[c] : b[c];
}

void rp_octagon_meet(int64_t *out, const int64_t *a, const int64_t *b, size_t n) {
    for (size_t c = 0; c < cells(n); c++) out[c] = smaller(a[c], b[c]);
}

int rp_octagon_leq(const int64_t *a, const int64_t *b, size_t n) {
    for (size_t c = 0; c < cells(n); c++)
        if (a[c] > b[c]) return 0;
    return 1;
}

void rp_octagon_widen(int64_t *out, const int64_t *old, const int64_t *next, size_t n, const int64_t *limits, size_t count) {
    for (size_t c = 0; c < cells(n); c++) {
        out[c] = old[c];
        if (next[c] <= old[c]) continue;
        size_t first = 0, last = count;
        while (first < last) {
            size_t middle = (first + last) / 2;
            if (limits[middle] < next[c]) first = middle + 1;
            else last = middle;
        }
        out[c] = first < count ? limits[first] : NONE;
    }
}

void rp_octagon_narrow(int64_t *out, const int64_t *old, const int64_t *next, const int64_t *top, size_t n) {
    for (size_t c = 0; c < cells(n); c++) out[c] = old[c] == top[c] ? next[c] : old[c];
}
