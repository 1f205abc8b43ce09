/* search_states.c: the search that goes back to states, for raceproof.explore: docs/algorithms/states.md.
 *
 * Depth first over the states between the operations of the threads; a state that was visited is not entered again. All
 * accesses of open pairs are operations, and a race is two threads that stand before conflicting ones ([PDP, Fig. 2]
 * DETECTRACE, in sched.c). Which threads are tried in a state (persistent.c) depends on the state alone, so that nothing is
 * hidden by the way on which it was visited; [YWY06] and [YCGK08] show what it takes otherwise.
 *
 * A state is told as bytes (states.h), of which a hash of 128 bits is kept. To go back is to copy memory: for each state
 * on the way that has threads left to try, what must be put back lies on a stack of its own.
 */

#include "states.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "fiber.h"
#include "heap.h"
#include "isolation.h"
#include "program.h"
#include "report.h"
#include "sync.h"

#define TABLE_BYTES ((size_t)1 << 30) /* of hashes */
#define STACK_BYTES ((size_t)1 << 30) /* of what is put back */
#define TOLD_BYTES ((size_t)64 << 20) /* one state */
#define EXACT_BYTES ((size_t)1 << 29)
#define FIRST_SLOTS ((size_t)1 << 12)
#define HELD_LOCKS 1024

/* ---- bytes: of a state, and of what is put back */

static char *image, *image_at;         /* the state that is being told */
static char *kept, *kept_at;         /* what is put back, one state behind the other */
static bool is_too_large;

static void *space(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        report_bounded("there is no memory for the states of the program", NONE);
        return NULL;
    }
    return memory;
}

void state_tell(const void *memory, size_t size) {
    size_t whole = (size + 7) & ~(size_t)7;
    if (whole > TOLD_BYTES - (size_t)(image_at - image)) {
        is_too_large = true;
        return;
    }
    uint64_t zero = 0;
    if (size != whole) memcpy(image_at + whole - 8, &zero, 8);
    memcpy(image_at, memory, size);
    image_at += whole;
}

struct piece { char *memory; size_t size; };

void state_keep(void *memory, size_t size) {
    if (size == 0) return;
    size_t whole = sizeof(struct piece) + ((size + 15) & ~(size_t)15);
    if (whole > STACK_BYTES - (size_t)(kept_at - kept)) {
        is_too_large = true;
        return;
    }
    struct piece piece = {memory, size};
    memcpy(kept_at, &piece, sizeof piece);
    memcpy(kept_at + sizeof piece, memory, size);
    kept_at += whole;
}

static void put_back(const char *from, const char *to) {
    while (from < to) {
        struct piece piece;
        memcpy(&piece, from, sizeof piece);
        memcpy(piece.memory, from + sizeof piece, piece.size);
        from += sizeof piece + ((piece.size + 15) & ~(size_t)15);
    }
}

static void keep_all(void) {
    sched_keep();
    threads_keep();
    program_keep();
    heap_keep();
    libc_keep();
    validity_keep();
    objects_keep();
}

/* ---- visited states */

struct hash { uint64_t low, high; };

/* Both halves of the product. */
static uint64_t folded(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, mid = ah * bl + (low >> 32), other = al * bh + (uint32_t)mid;
    return (other << 32 | (uint32_t)low) ^ (ah * bh + (mid >> 32) + (other >> 32));
#endif
}

/* Two chains of folded multiplications with constants of their own, over words in turn: 128 bits. */
static inline void mix(struct hash *h, const char *words) {
    uint64_t word[2];
    memcpy(word, words, sizeof word);
    h->low = folded(word[0] ^ h->low ^ 0xa4093822299f31d0u, word[1] ^ 0x082efa98ec4e6c89u) + (h->low << 1 | h->low >> 63);
    h->high = folded(word[0] ^ 0x452821e638d01377u, word[1] ^ h->high ^ 0xbe5466cf34e90c6cu) + (h->high << 1 | h->high >> 63);
}

/* Two such pairs of chains side by side, which the processor works on at the same time. */
static struct hash hash_of(const char *from, const char *to) {
    struct hash one = {0x243f6a8885a308d3u ^ (uint64_t)(to - from), 0x13198a2e03707344u};
    struct hash two = {0x2ffd72dbd01adfb7u, 0xb8e1afed6a267e96u};
    uint64_t end[4] = {0, 0, 0, 0};
    for (; to - from >= 32; from += 32) {
        mix(&one, from);
        mix(&two, from + 16);
    }
    memcpy(end, from, (size_t)(to - from));
    mix(&one, (const char *)end);
    mix(&two, (const char *)(end + 2));
    uint64_t low = folded(one.low ^ 0xc0ac29b7c97c50ddu, two.low ^ 0x3f84d5b5b5470917u) ^ folded(one.high, two.high ^ one.low);
    uint64_t high = folded(one.high ^ 0x9216d5d98979fb1bu, two.high ^ 0xd1310ba698dfb5acu) ^ folded(two.low, one.low ^ two.high);
    low = folded(low ^ 0xba7c9045f12c7f99u, high ^ 0x24a19947b3916cf7u) ^ low;
    high = folded(high ^ 0x0801f2e2858efc16u, low ^ 0x636920d871574e69u) ^ high;
    if ((low | high) == 0) high = 1; /* an empty slot */
    return (struct hash){low, high};
}

static struct hash memory_of_state; /* that threads share, or may: variables, heap, variables in the frames of functions */

static void note_memory(void) {
    char *from = image_at;
    program_tell();
    threads_tell_memory();
    memory_of_state = hash_of(from, image_at);
    image_at = from;
}

char *state_told(void) { return image_at; }

static void tell_all(void) {
    image_at = image;
    objects_uncover();
    char *first = threads_tell(), *last = image_at;
    program_tell();
    libc_tell();
    validity_tell();
    if (options.deadlocks) note_memory();
    if (!is_too_large) symmetry_order(image, first, last, image_at);
    state_tell_number(UINT64_MAX);
    objects_tell();
    objects_cover();
    sched_tell();
}

static struct hash *table;
static uint32_t *numbers; /* by slot, from 1: in the order in which they were found. For deadlocks only */
static uint8_t *is_on_path; /* by slot: the execution has come through this state. For persistent sets only */
static struct hash *path;   /* the states on the way here */
static uint64_t path_count;
static uint64_t slots, state_count, most_states;
#define MAX_PATH ((uint64_t)1 << 26)
static bool is_full;

/* The states themselves, for --exact-states: by slot, where each is. */
static char *exact, *exact_at;
static uint64_t *exact_of;
static uint64_t clashes;

static void *zeroed(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static uint64_t slot_of(const struct hash *in, uint64_t size, const struct hash *h) {
    uint64_t at = h->low & (size - 1);
    while ((in[at].low | in[at].high) != 0 && (in[at].low != h->low || in[at].high != h->high)) at = (at + 1) & (size - 1);
    return at;
}

/* Twice as large; false if it may not be. */
static bool grow(void) {
    if (2 * slots * sizeof *table > TABLE_BYTES) return false;
    struct hash *larger = zeroed(2 * slots * sizeof *table);
    uint64_t *places = options.exact_states ? zeroed(2 * slots * sizeof *places) : NULL;
    uint32_t *moved = options.deadlocks ? zeroed(2 * slots * sizeof *moved) : NULL;
    uint8_t *on_path = is_on_path != NULL ? zeroed(2 * slots) : NULL;
    if (larger == NULL || (is_on_path != NULL && on_path == NULL) || (options.exact_states && places == NULL) || (options.deadlocks && moved == NULL)) return false;
    for (uint64_t i = 0; i < slots; i++) {
        if ((table[i].low | table[i].high) == 0) continue;
        uint64_t at = slot_of(larger, 2 * slots, &table[i]);
        larger[at] = table[i];
        if (places != NULL) places[at] = exact_of[i];
        if (moved != NULL) moved[at] = numbers[i];
        if (on_path != NULL) on_path[at] = is_on_path[i];
    }
    if (is_on_path != NULL) munmap(is_on_path, slots);
    is_on_path = on_path;
    if (moved != NULL) munmap(numbers, slots * sizeof *numbers);
    numbers = moved;
    munmap(table, slots * sizeof *table);
    if (places != NULL) munmap(exact_of, slots * sizeof *exact_of);
    table = larger;
    exact_of = places;
    slots *= 2;
    return true;
}

static void keep_exact(uint64_t at) {
    exact_of[at] = 0;
    size_t size = (size_t)(image_at - image);
    if (exact_at + size + 8 > exact + EXACT_BYTES) {
        report_bounded("there is no memory for the states of the program", NONE);
        return;
    }
    memcpy(exact_at, &size, sizeof size);
    memcpy(exact_at + 8, image, size);
    exact_of[at] = (uint64_t)(exact_at - exact) + 1;
    exact_at += 8 + size;
}

static void compare_exact(uint64_t at) {
    if (exact_of[at] == 0) return;
    const char *other = exact + exact_of[at] - 1;
    size_t size;
    memcpy(&size, other, sizeof size);
    if (size == (size_t)(image_at - image) && memcmp(other + 8, image, size) == 0) return;
    clashes++;
    report_bounded("two states of the program have the same hash", NONE);
}

/* ---- deadlocks of some threads while others go on for ever [Tar72]: in a program that ends they are deadlocks of all in
 * the end. Here a component of states from which no way leads out must let each thread go on, or whom it joins. */

struct way {
    uint32_t number, low;      /* of the state; the first one that it comes back to */
    bool leads_out;            /* of its component, or to an end */
    bool is_outside;           /* somebody waits for a time, or asks for an input */
    bool changes;              /* not all of its states have the same memory */
    uint64_t memory;
    uint32_t segments, steps, inputs, site; /* the run that led here; where a thread goes on */
    tset endless;              /* threads that do not end by what their code says */
    tset moves, live;          /* threads that go on in the component */
    uint8_t joins[RP_MAX_THREADS]; /* for whom each waits in the end, or itself */
};

static struct way *ways;      /* the states of this execution */
static uint32_t *component;   /* states found whose component is not known yet */
static uint8_t *is_closed;    /* by number of the state */
static uint64_t way_count, component_count;
#define MAX_WAYS ((uint64_t)1 << 20)
#define MAX_NUMBERED ((uint64_t)1 << 26)

static bool begin_ways(void) {
    if (!options.deadlocks) return true;
    if (ways == NULL) ways = zeroed(MAX_WAYS * sizeof *ways);
    if (component == NULL) component = zeroed(MAX_NUMBERED * sizeof *component);
    if (is_closed != NULL) munmap(is_closed, MAX_NUMBERED);
    is_closed = zeroed(MAX_NUMBERED);
    way_count = component_count = 0;
    return ways != NULL && component != NULL && is_closed != NULL;
}

/* Its code has no way from where it stands to its end. */
static bool is_endless(const struct thread *t) {
    for (const struct rp_frame *f = t->frame; f != NULL; f = f->below)
        if (f->site != 0 && !(f->site & 1)) return true;
    return false;
}

static void enter_memory(struct way *way, bool is_choice) {
    way->memory = memory_of_state.low;
    way->is_outside = is_choice;
    way->changes = false;
    way->endless = 0;
    way->segments = G->segment_count;
    way->steps = G->segment_count != 0 ? segments[G->segment_count - 1].steps : 0;
    way->inputs = G->input_count;
    way->site = way->moves != 0 ? threads[__builtin_ctzll(way->moves)].pending.site : NONE;
    for (tset rest = way->live; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        if (is_endless(t)) way->endless |= BIT(t->tid);
        way->is_outside |= t->pending.kind == OP_OUTSIDE || (t->pending.kind == OP_COND_WAKE && t->timed);
    }
}

/* No thread ends any more, whatever the schedule, and none changes what threads share; all that go on could end, by what
 * their code says. */
static bool is_livelock(const struct way *root) {
    return !root->is_outside && !root->changes && root->moves != 0 && (root->moves & root->endless) == 0;
}

static void tell_livelock(const struct way *root) {
    uint32_t count = G->segment_count, inputs = G->input_count, steps = 0;
    if (root->segments != 0) {
        steps = segments[root->segments - 1].steps;
        segments[root->segments - 1].steps = root->steps;
    }
    G->segment_count = root->segments;
    G->input_count = root->inputs;
    struct thread *running = self;
    self = NULL; /* the run ends there */
    report_other("livelock", "from here on no thread can end, whatever the schedule, and none changes what they share",
                 root->site);
    self = running;
    if (root->segments != 0) segments[root->segments - 1].steps = steps;
    G->segment_count = count;
    G->input_count = inputs;
}

static uint8_t waits_for_the_end_of(uint8_t tid) {
    for (uint32_t steps = 0; steps < RP_MAX_THREADS && threads[tid].pending.kind == OP_JOIN; steps++) {
        tid = (uint8_t)threads[tid].pending.id;
        if (symmetry_is_on) tid = symmetry_last_of(tid);
    }
    return tid;
}

static void enter_way(uint32_t number, tset enabled, bool is_choice) {
    if (!options.deadlocks) return;
    if (way_count == MAX_WAYS || component_count == MAX_NUMBERED || number >= MAX_NUMBERED) {
        report_bounded("whether some threads wait for ever while others go on was not followed", NONE);
        return;
    }
    struct way *way = &ways[way_count++];
    way->number = way->low = number;
    way->leads_out = false;
    way->moves = enabled;
    way->live = 0;
    for (uint32_t t = 0; t < G->paths; t++) {
        if (threads[t].state != T_READY) continue;
        way->live |= BIT(t);
        way->joins[t] = waits_for_the_end_of((uint8_t)t);
        if (threads[t].pending.kind == OP_EXIT || threads[t].pending.kind == OP_NEVER) way->leads_out = true; /* it may end */
    }
    enter_memory(way, is_choice);
    component[component_count++] = number;
}

/* The last state comes to an end, or to one that was visited. */
static void way_ends(uint32_t number) {
    if (!options.deadlocks || way_count == 0) return;
    if (number != 0 && !is_closed[number] && persistent_is_on()) persistent_stop(); /* a way back: all ways out are to be known */
    struct way *way = &ways[way_count - 1];
    if (number == 0 || is_closed[number]) way->leads_out = true;
    else if (number < way->low) way->low = number;
}

static void close_component(const struct way *root) {
    while (component_count > 0 && component[component_count - 1] >= root->number) is_closed[component[--component_count]] = 1;
    if (root->leads_out) return;
    if (symmetry_is_on && symmetry_count() != 0) { /* which thread is which, along a way back to the same state? */
        symmetry_break();
        return;
    }
    if (is_livelock(root)) {
        tell_livelock(root);
        return;
    }
    for (tset rest = root->live & ~root->moves; rest != 0; rest &= rest - 1)
        if (!(root->moves & BIT(root->joins[__builtin_ctzll(rest)]))) {
            report_bounded("a thread may wait for ever while others go on", NONE);
            return;
        }
}

/* All that comes behind the states from `count` on was visited. */
static void leave_ways(uint64_t count) {
    if (!options.deadlocks) return;
    while (way_count > count) {
        const struct way *way = &ways[--way_count];
        bool is_root = way->low == way->number;
        if (is_root) close_component(way);
        if (way_count == 0) return;
        struct way *before = way_count > 0 ? &ways[way_count - 1] : NULL;
        if (is_root) {
            before->leads_out = true;
        } else {
            before->leads_out |= way->leads_out;
            before->moves |= way->moves;
            before->is_outside |= way->is_outside;
            before->changes |= way->changes | (way->memory != before->memory);
            if (way->low < before->low) before->low = way->low;
        }
    }
}

/* ---- persistent sets: whether those of a state lead back to states on the way to it only */

struct branch {
    char *from, *to;     /* what is put back */
    tset left;           /* threads to be tried */
    tset rest;           /* others, which need not be tried if `leads_on` */
    bool leads_on;       /* one of its threads leads to a state that is not on the way here */
    uint32_t next, last; /* a choice: values to be tried; else 0, 0 */
    uint32_t paths;
    uint64_t ways, path;
};

static struct branch *branches;
static uint64_t branch_count, branch_limit, deepest;

/* The state on top of the path has come to one that is new, was left, or is an end. */
static void note_lead(void) {
    if (branch_count > 0 && branches[branch_count - 1].path == path_count) branches[branch_count - 1].leads_on = true;
}

static void enter_path(uint64_t at, const struct hash *h) {
    if (is_on_path == NULL) return;
    if (path_count == MAX_PATH) {
        persistent_stop();
        return;
    }
    is_on_path[at] = 1;
    path[path_count++] = *h;
}

static void leave_path(uint64_t count) {
    if (is_on_path == NULL) return;
    while (path_count > count) {
        const struct hash *h = &path[--path_count];
        uint64_t at = slot_of(table, slots, h);
        is_on_path[at] = 0;
    }
}

/* Enter the state that was told; false if it was visited before. A full table forgets states, which then are visited again:
 * that costs time, and the search may have no end, but it misses nothing. */
static bool enter(tset enabled, bool is_choice) {
    struct hash h = hash_of(image, image_at);
    uint64_t at = slot_of(table, slots, &h);
    if ((table[at].low | table[at].high) != 0) {
        if (options.exact_states) compare_exact(at);
        way_ends(options.deadlocks ? numbers[at] : 0);
        if (is_on_path != NULL && !is_choice && !is_on_path[at]) note_lead();
        return false;
    }
    if (!is_full && (state_count == most_states || (4 * state_count >= 3 * slots && !grow()))) {
        is_full = true;
        if (options.deadlocks) report_bounded("whether some threads wait for ever while others go on was not followed", NONE);
    }
    state_count++;
    if (is_full) {
        at = h.low & (slots - 1);
        at = (table[at].low | table[at].high) != 0 ? at : (at + 1) & (slots - 1);
    } else {
        at = slot_of(table, slots, &h);
    }
    table[at] = h;
    if (options.exact_states) keep_exact(at);
    if (options.deadlocks) numbers[at] = (uint32_t)state_count;
    enter_way((uint32_t)state_count, enabled, is_choice);
    if (!is_choice) note_lead();
    enter_path(at, &h);
    return true;
}

/* ---- the search */

static uint64_t told_bytes, ends;

static bool begin_search(void) {
    if (image == NULL) {
        image = space(TOLD_BYTES);
        kept = space(STACK_BYTES);
        branches = space(STACK_BYTES / 16);
        if (image == NULL || kept == NULL || branches == NULL) return false;
        branch_limit = STACK_BYTES / 16 / sizeof *branches;
        if (options.exact_states && (exact = space(EXACT_BYTES)) == NULL) return false;
        for (uint32_t t = 0; t < RP_MAX_THREADS; t++) {
            threads[t].held = malloc(HELD_LOCKS * sizeof *threads[t].held);
            if (threads[t].held == NULL) return false;
            threads[t].held_capacity = HELD_LOCKS;
        }
    }
    if (table != NULL) munmap(table, slots * sizeof *table);
    if (exact_of != NULL) munmap(exact_of, slots * sizeof *exact_of);
    if (numbers != NULL) munmap(numbers, slots * sizeof *numbers);
    if (is_on_path != NULL) munmap(is_on_path, slots);
    is_on_path = NULL;
    slots = FIRST_SLOTS;
    path_count = 0;
    if (persistent_is_on()) {
        if (path == NULL) path = zeroed(MAX_PATH * sizeof *path);
        is_on_path = zeroed(slots);
        if (path == NULL || is_on_path == NULL) return false;
    }
    table = zeroed(slots * sizeof *table);
    exact_of = options.exact_states ? zeroed(slots * sizeof *exact_of) : NULL;
    numbers = options.deadlocks ? zeroed(slots * sizeof *numbers) : NULL;
    exact_at = exact;
    kept_at = kept;
    state_count = branch_count = 0;
    is_full = is_too_large = false;
    most_states = options.max_states != 0 ? options.max_states : UINT64_MAX;
    return table != NULL && begin_ways();
}

/* Take down what is left to try in this state; the stack that it lies on may be full. */
static void put_branch(tset left, tset rest, uint32_t next, uint32_t last) {
    char *from = kept_at;
    if (branch_count < branch_limit) keep_all();
    if (is_too_large || branch_count == branch_limit) {
        report_bounded("an execution has more states than there is memory for", NONE);
        is_too_large = false;
        kept_at = from;
        return;
    }
    branches[branch_count++] = (struct branch){.from = from, .to = kept_at, .left = left, .rest = rest, .next = next,
                                               .last = last, .paths = G->paths, .ways = way_count, .path = path_count};
    if (branch_count > deepest) deepest = branch_count;
}

/* Leave states in which nothing is left to try. All threads of one are tried if those of its set came back to states on the
 * way only: else the others might be put off for ever. */
static void leave_branches(void) {
    for (; branch_count > 0; branch_count--) {
        struct branch *b = &branches[branch_count - 1];
        if (b->last != 0 || b->left != 0) return;
        if (b->rest != 0 && !b->leads_on) {
            b->left = b->rest;
            b->rest = 0;
            return;
        }
        kept_at = b->from;
    }
}

/* From the last state in which something is left to try. */
static enum arrival back(void) {
    struct branch *b = &branches[branch_count - 1];
    leave_ways(b->ways);
    leave_path(b->path);
    heap_settle();
    validity_settle();
    put_back(b->from, b->to);
    threads_settle(b->paths);
    uint8_t tid = b->left != 0 ? (uint8_t)__builtin_ctzll(b->left) : 0;
    b->left &= b->left - 1;
    uint32_t index = b->next;
    bool is_choice = b->last != 0;
    if (is_choice ? ++b->next == b->last : (b->left | b->rest) == 0) {
        kept_at = b->from;
        branch_count--;
    }
    return is_choice ? states_answer(index) : states_step(tid);
}

/* Where one thread joins others that nobody can tell apart, and some of them have ended: does it only join more of them?
 * Else the search begins anew. */
static void try_joins(void) {
    uint32_t joins;
    if (!symmetry_is_on) return;
    for (struct thread *t = symmetry_joiner(0, &joins); t != NULL; t = symmetry_joiner(t->tid + 1u, &joins)) {
        char *from = kept_at;
        uint32_t paths = G->paths;
        keep_all();
        bool fits = !is_too_large;
        bool only_joins = fits && states_peek(t, joins);
        if (fits) {
            heap_settle();
            validity_settle();
            put_back(from, kept_at);
            threads_settle(paths);
        }
        is_too_large = false;
        kept_at = from;
        if (!only_joins) symmetry_break();
    }
}

/* The execution has come to a state. False: nothing more is to be done from here. */
static bool visit(enum arrival *arrived) {
    tset enabled = *arrived == ARRIVED_STATE ? states_enabled() : BIT(self->tid);
    if (enabled == 0) {
        try_joins(); /* is it stuck because joins wait for others only here? */
        if (G->restart) return false;
        G->cut = (uint8_t)states_stuck();
        way_ends(0);
        note_lead();
        return false;
    }
    tell_all();
    if (is_too_large) {
        report_bounded("a state of the program is larger than the explorer can follow", NONE);
        is_too_large = false;
        return false;
    }
    if (!enter(enabled, *arrived == ARRIVED_CHOICE)) return false;
    told_bytes += (uint64_t)(image_at - image);
    if (*arrived == ARRIVED_STATE) try_joins();
    if (*arrived == ARRIVED_CHOICE) {
        if (states_choices > 1) put_branch(0, 0, 1, states_choices);
        *arrived = states_answer(0);
        return true;
    }
    tset tried = persistent_set(enabled);
    uint8_t tid = (uint8_t)default_choice(tried);
    if (enabled != BIT(tid)) put_branch(tried & ~BIT(tid), enabled & ~tried, 0, 0);
    *arrived = states_step(tid);
    return true;
}

void report_races(void);
void report_output(void);
void report_states(uint64_t states, uint64_t frontier);

static enum stop until_end(void) {
    enum arrival arrived = states_begin();
    for (uint64_t turns = 1;; turns++) {
        if (G->stop != STOP_NOT) return (enum stop)G->stop;
        if (G->hit_count > 0) {
            report_races();
            G->hit_count = 0;
            if (!options.all) return STOP_RACE;
        }
        if (G->restart || persistent_must_begin_anew(state_count, false)) return STOP_RESTART;
        if (turns % 4096 == 0) {
            report_states(state_count, branch_count);
            enum stop stop = stop_reason();
            if (stop != STOP_NOT) return stop;
        }
        if (arrived != ARRIVED_END) persistent_settle();
        if (arrived == ARRIVED_END)
            way_ends(0);
        else if (visit(&arrived))
            continue;
        if (G->restart) return STOP_RESTART;
        ends++;
        if (G->executions++ == 0) report_output();
        if (G->cut == CUT_DEADLOCK && options.deadlocks == DEADLOCKS_FIRST) return STOP_DEADLOCK;
        if (options.max_executions != 0 && G->executions >= options.max_executions) return STOP_EXECUTIONS;
        leave_branches();
        if (branch_count == 0) {
            leave_ways(0);
            return G->restart || persistent_must_begin_anew(state_count, true) ? STOP_RESTART : STOP_NOT;
        }
        G->cut = CUT_NOT;
        arrived = back();
    }
}

static void report_number(const char *name, uint64_t value) {
    report_put("stat\t%s\t%llu", name, (unsigned long long)value);
    report_end();
}

/* The set of scheduling points may grow (`restart`): the search begins anew. */
static uint8_t search(void) {
    if (!program_is_small()) {
        report_bounded("the program's variables are too large to tell its states apart", NONE);
        return STOP_NOT;
    }
    enum stop stop = STOP_RESTART;
    follows_states = heap_compacts = true;
    symmetry_begin();
    monitors_begin();
    persistent_begin();
    while (stop == STOP_RESTART) {
        G->restart = 0;
        if (G->has_try || G->has_cancel) persistent_stop();
        persistent_begin_anew();
        bool begins = begin_search();
        if (!begins) report_bounded("there is no memory for the states of the program", NONE);
        stop = begins ? until_end() : STOP_NOT;
    }
    follows_states = heap_compacts = symmetry_is_on = false;
    report_number("states", state_count);
    report_number("state_bytes", state_count != 0 ? told_bytes / state_count : 0);
    report_number("deepest", deepest);
    report_number("table_bytes", slots * sizeof *table);
    report_number("renamed", symmetry_count());
    report_number("merged", monitors_count());
    report_number("reduced", persistent_count());
    if (is_full) report_number("forgetting", 1);
    if (options.exact_states) report_number("clashes", clashes);
    return (uint8_t)stop;
}

const struct algorithm algorithm_states = {.name = "states", .accesses = true, .search = search};
