/* search_dfs.c: every interleaving of all visible operations, for raceproof.explore: the oracle of the others. */

#include "items.h"

static int choose(struct node *node, uint32_t depth) {
    (void)depth;
    return default_choice(node->enabled);
}

static bool finish(void) {
    for (uint32_t i = G->event_count; i-- > frozen;) {
        struct node *n = &nodes[i];
        n->done |= BIT(n->chosen);
        tset left = n->enabled & ~n->done;
        if (left == 0) continue;
        n->chosen = (uint8_t)__builtin_ctzll(left);
        G->prefix = i + 1;
        return true;
    }
    return false;
}

static tset left(struct node *node) { return node->enabled & ~node->done & ~BIT(node->chosen); }

const struct algorithm algorithm_dfs = {.name = "dfs", .accesses = true, .releases = true, .hb = true,
                                        .choose = choose, .finish = finish, .left = left};
