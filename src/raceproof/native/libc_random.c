/* libc_random.c: random numbers that are the same in every run (talks to raceproof.explore; see libc.h).
 *
 * Thread 0 sees what glibc would give it for the same seed; every other thread has a sequence of its own, which starts
 * from the seed that thread 0 has set. So a value depends on the thread and its own calls, not on the schedule (except
 * where thread 0 seeds while others begin to draw).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"

#include <stdlib.h>
#include <string.h>

enum { SEPARATION = 3, DISCARDED = 310 };
#define MASK48 (((uint64_t)1 << 48) - 1)

static struct random_state *mine(void) { return &libc.random[rp_tid()]; }

static uint32_t own_seed(uint32_t seed) { return seed ^ (uint32_t)rp_tid() * 2654435761u; }

/* ---- rand, random: glibc's additive feedback generator, x[i] = x[i-3] + x[i-31] */

static int32_t next_random(struct random_state *state) {
    int rear = state->front - SEPARATION;
    if (rear < 0) rear += RANDOM_DEGREE;
    uint32_t sum = (uint32_t)state->table[state->front] + (uint32_t)state->table[rear];
    state->table[state->front] = (int32_t)sum;
    state->front = (state->front + 1) % RANDOM_DEGREE;
    return (int32_t)(sum >> 1);
}

static void warm_up(struct random_state *state, uint32_t seed) {
    int32_t word = seed == 0 ? 1 : (int32_t)seed;
    for (int i = 0; i < RANDOM_DEGREE; i++) {
        state->table[i] = word;
        word = (int32_t)(16807 * (int64_t)(word % 127773) - 2836 * (int64_t)(word / 127773));
        if (word < 0) word += 2147483647;
    }
    state->front = SEPARATION;
    for (int i = 0; i < DISCARDED; i++) (void)next_random(state);
}

/* The warm-up takes longer than many an execution, and a thread begins with the same seed in most of them. */
static void seed_random(struct random_state *state, uint32_t seed) {
    static struct {
        struct random_state warm;
        uint32_t seed;
        int is_known;
    } last[RP_MAX_THREADS];
    int tid = rp_tid();
    if (!last[tid].is_known || last[tid].seed != seed) {
        warm_up(&last[tid].warm, seed);
        last[tid].seed = seed;
        last[tid].is_known = 1;
    }
    memcpy(state->table, last[tid].warm.table, sizeof state->table);
    state->front = last[tid].warm.front;
    state->table_of = libc.execution;
}

static int32_t draw(void) {
    struct random_state *state = mine();
    if (state->table_of != libc.execution) seed_random(state, own_seed(libc.seed));
    return next_random(state);
}

static void set_seed(unsigned seed) {
    if (rp_tid() == 0) libc.seed = seed;
    seed_random(mine(), own_seed(seed));
}

RP_LIB int rp_lib_rand(void) { return draw(); }
RP_LIB long rp_lib_random(void) { return draw(); }
RP_LIB void rp_lib_srand(unsigned seed) { set_seed(seed); }
RP_LIB void rp_lib_srandom(unsigned seed) { set_seed(seed); }

/* ---- drand48 and its like: x = a x + c mod 2^48 */

static uint64_t step48(uint64_t x) { return (libc.a48 * x + libc.c48) & MASK48; }

static uint64_t draw48(void) {
    struct random_state *state = mine();
    if (state->x48_of != libc.execution) state->x48 = libc.seed48 ^ (uint64_t)rp_tid() * 0x9e3779b97f4au;
    state->x48_of = libc.execution;
    return state->x48 = step48(state->x48 & MASK48);
}

static uint64_t joined48(const unsigned short x[3]) { return x[0] | (uint64_t)x[1] << 16 | (uint64_t)x[2] << 32; }

static void split48(uint64_t x, unsigned short into[3]) {
    for (int i = 0; i < 3; i++) into[i] = (unsigned short)(x >> 16 * i);
}

static uint64_t draw48_from(unsigned short x[3]) {
    uint64_t next = step48(joined48(x));
    split48(next, x);
    return next;
}

static double as_double(uint64_t x) { return (double)x / (double)((uint64_t)1 << 48); }
static long as_positive(uint64_t x) { return (long)(x >> 17); }
static long as_signed(uint64_t x) { return (int32_t)(uint32_t)(x >> 16); }

static void set_seed48(uint64_t x, uint64_t a, uint16_t c) {
    struct random_state *state = mine();
    if (rp_tid() == 0) libc.seed48 = x;
    state->x48 = x ^ ((uint64_t)rp_tid() * 0x9e3779b97f4au & MASK48);
    state->x48_of = libc.execution;
    libc.a48 = a;
    libc.c48 = c;
}

RP_LIB double rp_lib_drand48(void) { return as_double(draw48()); }
RP_LIB long rp_lib_lrand48(void) { return as_positive(draw48()); }
RP_LIB long rp_lib_mrand48(void) { return as_signed(draw48()); }
RP_LIB double rp_lib_erand48(unsigned short x[3]) { return as_double(draw48_from(x)); }
RP_LIB long rp_lib_nrand48(unsigned short x[3]) { return as_positive(draw48_from(x)); }
RP_LIB long rp_lib_jrand48(unsigned short x[3]) { return as_signed(draw48_from(x)); }

RP_LIB void rp_lib_srand48(long seed) { set_seed48((uint64_t)(uint32_t)seed << 16 | 0x330e, 0x5deece66du, 0xb); }

RP_LIB unsigned short *rp_lib_seed48(unsigned short x[3]) {
    struct random_state *state = mine();
    uint64_t seed = joined48(x);
    split48(state->x48_of == libc.execution ? state->x48 : libc.seed48, libc.old48);
    set_seed48(seed, 0x5deece66du, 0xb);
    return libc.old48;
}

RP_LIB void rp_lib_lcong48(unsigned short parameters[7]) {
    set_seed48(joined48(parameters), joined48(parameters + 3), parameters[6]);
}

/* ---- generators that the program cannot seed: SplitMix64 from the thread's number */

static uint64_t draw_unseeded(void) {
    struct random_state *state = mine();
    if (state->unseeded_of != libc.execution) state->unseeded = (uint64_t)rp_tid() << 32;
    state->unseeded_of = libc.execution;
    uint64_t z = state->unseeded += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill_unseeded(void *data, size_t length) {
    unsigned char *bytes = data;
    for (size_t i = 0; i < length; i++) bytes[i] = (unsigned char)draw_unseeded();
}

RP_LIB uint32_t rp_lib_arc4random(void) { return (uint32_t)draw_unseeded(); }
RP_LIB void rp_lib_arc4random_buf(void *data, size_t length) { fill_unseeded(data, length); }

RP_LIB uint32_t rp_lib_arc4random_uniform(uint32_t bound) {
    return bound < 2 ? 0 : (uint32_t)(draw_unseeded() % bound); /* the bias is below 2^-32 */
}

RP_LIB ssize_t rp_lib_getrandom(void *data, size_t length, unsigned flags) {
    (void)flags;
    fill_unseeded(data, length);
    return (ssize_t)length;
}

RP_LIB int rp_lib_getentropy(void *data, size_t length) {
    fill_unseeded(data, length);
    return 0;
}
