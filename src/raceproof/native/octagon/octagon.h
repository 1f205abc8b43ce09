/* The contract of the octagon kernel with raceproof/domains/octagon_kernel.py.
 *
 * An octagon of n variables v_0..v_n-1 is a difference-bound matrix over V_2k = v_k and V_2k+1 = -v_k: entry (i, j) is an
 * upper bound of V_j - V_i [Mine06]. Entries (i, j) and (j^1, i^1) bound the same expression, so only those with
 * j <= (i|1) are stored, row by row: entry (i, j) stands at j + (i+1)*(i+1)/2, and there are 2n(n+1) of them.
 *
 * A bound is RP_OCTAGON_NONE (there is none) or at most RP_OCTAGON_LIMIT in size; a bound above that is dropped and one
 * below is raised to the limit: both only make the octagon larger. No computation overflows for n up to
 * RP_OCTAGON_VARIABLES.
 *
 * "Closed" means tightly closed: no entry can be lowered without losing an integer point. All functions that say so
 * take closed matrices; those that return int return 1, or 0 if the octagon is empty (and leave the matrix undefined).
 */
#ifndef RP_OCTAGON_H
#define RP_OCTAGON_H

#include <stddef.h>
#include <stdint.h>

#define RP_OCTAGON_NONE ((int64_t)1 << 61)
#define RP_OCTAGON_LIMIT ((int64_t)1 << 50)
#define RP_OCTAGON_VARIABLES 256

/* No bounds at all. */
void rp_octagon_top(int64_t *m, size_t n);

/* Close any matrix whose bounds are within the limit. */
int rp_octagon_close(int64_t *m, size_t n);

/* Add V_j - V_i <= bound to a closed matrix; it stays closed. */
int rp_octagon_add(int64_t *m, size_t n, size_t i, size_t j, int64_t bound);

/* Lower an entry, without closing: for many at once, then rp_octagon_close. */
void rp_octagon_lower(int64_t *m, size_t i, size_t j, int64_t bound);

/* The bound of V_j - V_i. */
int64_t rp_octagon_entry(const int64_t *m, size_t i, size_t j);

/* bounds[2k] and bounds[2k+1]: upper bounds of 2 v_k and of -2 v_k. */
void rp_octagon_bounds(const int64_t *m, size_t n, int64_t *bounds);

/* Closed: any value for v_x. */
void rp_octagon_forget(int64_t *m, size_t n, size_t x);

/* Closed: v_x := v_y + low..high, or -v_y + low..high if negated; y may be x. */
void rp_octagon_assign(int64_t *m, size_t n, size_t x, size_t y, int negated, int64_t low, int64_t high);

/* Entry by entry. The join of closed matrices is closed; the meet is not. */
void rp_octagon_join(int64_t *out, const int64_t *a, const int64_t *b, size_t n);
void rp_octagon_meet(int64_t *out, const int64_t *a, const int64_t *b, size_t n);

/* Is every entry of a at most that of b? */
int rp_octagon_leq(const int64_t *a, const int64_t *b, size_t n);

/* Entries of `next` above those of `old` go to the next of the sorted limits, or to none. Not closed: closing the left
 * operand of a widening, or its result before the next widening, may make the sequence endless. */
void rp_octagon_widen(int64_t *out, const int64_t *old, const int64_t *next, size_t n, const int64_t *limits, size_t count);

/* Entries of `old` that are those of `top` become those of `next`. Not closed. */
void rp_octagon_narrow(int64_t *out, const int64_t *old, const int64_t *next, const int64_t *top, size_t n);

#endif
