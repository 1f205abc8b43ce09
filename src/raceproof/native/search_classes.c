/* search_classes.c: counts classes of equivalent executions by going through all of them, for tests of raceproof.explore:
 * the number of executions that the optimal search must need. */

#include "rt.h"

#define MAX_CLASSES (1u << 22)

static uint64_t *seen;
static uint64_t searches; /* with other inputs, executions are others */

static void fresh(void) { searches++; }

static int choose(struct node *node, uint32_t depth) { return algorithm_dfs.choose(node, depth); }

static uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 31);
}

/* The same for every order of independent events: a sum over the events, each with the clock that says what comes
 * before it. */
static uint64_t class_of_execution(void) {
    uint64_t sum = mixed(1, searches);
    for (uint32_t e = 0; e < G->event_count; e++) {
        uint64_t hash = mixed(events[e].tid, events[e].number);
        for (uint32_t t = 0; t < G->paths; t++)
            if (CLOCK(e)[t] != 0) hash = mixed(hash, (uint64_t)t << 32 | CLOCK(e)[t]);
        sum += hash;
    }
    return sum;
}

static bool finish(void) {
    if (seen == NULL) seen = reserve(sizeof *seen * MAX_CLASSES);
    uint64_t key = class_of_execution();
    uint32_t slot = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 42);
    while (seen[slot] != 0 && seen[slot] != key) slot = (slot + 1) & (MAX_CLASSES - 1);
    if (seen[slot] == 0) {
        seen[slot] = key;
        G->classes++;
    }
    return algorithm_dfs.finish();
}

const struct algorithm algorithm_classes = {
    .name = "classes", .accesses = true, .hb = true, .orders = true, .fresh = fresh, .choose = choose, .finish = finish};
