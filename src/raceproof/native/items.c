/* items.c: parts of a search, given and taken; for raceproof.explore.
 *
 * Why this finds what one process finds: at each node, the threads that are ever tried there have an order, the one in
 * which they were given out, and each has those before it in its sleep set (or its done set). That is all that the
 * proofs of [AAJS14, Alg. 1] and [FG05] need; they do not need that one subtree is complete when the next one begins.
 * Requests only ever add to what is tried. The optimal algorithm needs more, its wakeup trees, which grow in one process
 * only; so a search that is shared works with source sets, which may cost executions that end blocked.
 */

#include "items.h"

#include <inttypes.h>
#include <string.h>

#include "report.h"
#include "sleep.h"
#include "watchdog.h"

uint32_t frozen;

static bool has_given;
static uint32_t threads_told;

void items_listen(void) { threads_told = options.path_count; }

bool items_divided(void) { return options.is_item || has_given; }

/* ---- taking */

void items_begin(void) {
    if (!options.is_item) return;
    frozen = G->prefix = options.item_length;
    for (uint32_t i = 0; i < frozen; i++) {
        nodes[i].chosen = options.item[i].tid;
        nodes[i].done = options.item[i].mask;
        nodes[i].backtrack = BIT(nodes[i].chosen);
        nodes[i].wut = NONE;
    }
}

void items_visit(uint32_t depth, tset enabled, uint32_t section, const struct op *op) {
    struct node *node = &nodes[depth];
    node->enabled = enabled;
    node->section = section;
    if (!options.algorithm->sleeps) return;
    for (tset rest = node->done & enabled; rest != 0; rest &= rest - 1) {
        uint8_t tid = (uint8_t)__builtin_ctzll(rest);
        sleep_add(depth, tid, &threads[tid].pending);
    }
    if (depth + 1 < G->prefix) sleep_pass(depth, op); /* behind the last one the search itself does it */
}

/* ---- telling */

static void tell_threads(void) {
    for (; threads_told < G->paths; threads_told++) {
        uint32_t t = threads_told;
        report_put("thread\t%u\t%d\t%u", t, G->path_parent[t] == NO_THREAD ? -1 : G->path_parent[t], G->path_number[t]);
        report_end();
    }
}

static void tell_known(const char *name) {
    report_put("known\t%s", name);
    report_end();
}

void items_tell_facts(void) {
    if (G->has_try) tell_known("try");
    if (G->has_cancel) tell_known("cancel");
    if (G->barrier_ordered) tell_known("barrier");
    tell_known("begun");
    for (uint32_t a = 0; a < options.access_limit && !options.algorithm->accesses; a++) {
        if (!visible_access[a]) continue;
        report_put("visible\t%u", a);
        report_end();
    }
}

/* Requests that were made: the same one comes again with every execution. */
static bool is_repeated(uint32_t e, tset tids) {
    static struct { uint32_t e; tset tids; } *made;
    enum { ROOM = 1 << 16 };
    static uint32_t count;
    if (made == NULL) made = reserve(sizeof *made * ROOM);
    uint32_t at = (uint32_t)((tids * 0x9e3779b97f4a7c15u) >> 40) ^ (e * 0x85ebca6bu);
    for (at %= ROOM; made[at].tids != 0; at = (at + 1) % ROOM)
        if (made[at].e == e && made[at].tids == tids) return true;
    if (count > ROOM / 2) return false; /* said again, then */
    count++;
    made[at].e = e;
    made[at].tids = tids;
    return false;
}

void items_request(uint32_t e, tset tids, uint8_t wanted) {
    const struct node *node = &nodes[e];
    if (tids & (node->done | BIT(node->chosen))) return;
    if (node->asleep & BIT(wanted)) return;
    if (is_repeated(e, tids)) return;
    tell_threads();
    report_put("request\t%u\t%" PRIx64 "\t%u", e, tids, wanted);
    report_end();
}

/* ---- giving */

static void tell_path(uint32_t length) {
    report_put("path\t");
    for (uint32_t i = 0; i < length; i++)
        report_put(i ? " %u:%" PRIx64 : "%u:%" PRIx64, nodes[i].chosen, nodes[i].done);
    report_end();
}

static void tell_node(uint32_t i, tset taken, tset left) {
    report_put("node\t%u\t%" PRIx64 "\t%" PRIx64, i, taken, left);
    report_end();
}

/* The node nearest to the root that has something left, all of it; `everything`: also what we would do next. */
static bool give(bool everything) {
    static tset *left;
    if (left == NULL) left = reserve(sizeof *left * MAX_EVENTS);
    uint32_t last = G->prefix - 1, end = frozen; /* what would come next is nodes[last].chosen */
    bool found = false;
    while (end <= last && (everything || !found)) {
        left[end] = options.algorithm->left(&nodes[end]);
        found = left[end++] != 0;
    }
    if (!everything && !found) return false;
    tell_threads();
    if (!items_divided()) items_tell_facts();
    tell_path(everything ? last : end);
    for (uint32_t i = frozen; i < end; i++) {
        tset chosen = BIT(nodes[i].chosen);
        bool gives_chosen = everything && i == last;
        tell_node(i, nodes[i].done | (gives_chosen ? 0 : chosen), left[i] | (gives_chosen ? chosen : 0));
    }
    frozen = end;
    has_given = true;
    return true;
}

static const char *obstacle(void) {
    if (G->choice_count > 0) return "inputs"; /* the search begins anew with each of their values */
    if (options.algorithm->left == NULL) return "algorithm";
    if (G->event_limit < MAX_EVENTS) return "levels"; /* it will begin anew with longer executions */
    if (options.algorithm->divides != NULL && !options.algorithm->divides()) return "phase";
    return NULL;
}

enum stop items_pass(void) {
    bool is_enough = options.item_executions != 0 && G->executions >= options.item_executions;
    if (!pulse.asked && !is_enough) return STOP_NOT;
    const char *reason = obstacle();
    is_enough = is_enough || options.item_ends; /* then somebody has asked */
    if (reason == NULL && is_enough) {
        give(true);
        return STOP_ITEMS;
    }
    bool never = G->choice_count > 0;
    if (!pulse.asked && !never) return STOP_NOT;
    pulse.asked = 0;
    if (never) options.item_executions = 0; /* said once */
    if (reason == NULL && !give(false)) reason = "nothing";
    if (reason == NULL) return STOP_NOT;
    report_put("undivided\t%s", reason);
    report_end();
    return STOP_NOT;
}
