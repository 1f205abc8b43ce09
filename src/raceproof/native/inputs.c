/* inputs.c: values that the program does not choose itself, for raceproof.explore.
 *
 * An input is known by its thread and by how many that thread has taken before, so that it has the same value under
 * every schedule of one search. An assignment says which inputs have another value than 0. When the search with one
 * assignment is over, each input that was taken behind the last one that it sets may have each other value: that
 * makes the next assignments, each of them once. They are tried in the order in which they were made, so that one
 * input is varied before two are.
 */

#include <string.h>

#include "inputs.h"
#include "libc.h"
#include "states.h"

static uint64_t trimmed(uint64_t value, int bits, int is_signed) {
    if (bits >= 64) return value;
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    value &= mask;
    return is_signed && (value >> (bits - 1)) ? value | ~mask : value;
}

/* Value number `index` of those to be tried; false behind the last one. */
static bool candidate(int bits, int is_signed, uint32_t index, uint64_t *value) {
    uint64_t top = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t fixed[] = {0, 1, top, top >> 1, (top >> 1) + 1};
    uint64_t seen[256];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 5 + options.candidate_count && count < 256; i++) {
        if (i >= 5 && options.candidates[i - 5].bits > (uint32_t)bits) continue;
        uint64_t v = trimmed(i < 5 ? fixed[i] : options.candidates[i - 5].value, bits, is_signed);
        bool is_new = true;
        for (uint32_t k = 0; k < count && is_new; k++) is_new = seen[k] != v;
        if (!is_new) continue;
        if (count == index) {
            *value = v;
            return true;
        }
        seen[count++] = v;
    }
    return false;
}

#define MAX_SET 8
#define MAX_WAITING (1u << 16)

struct setting { uint32_t number, index; uint8_t tid; };
struct assignment { struct setting set[MAX_SET]; uint32_t count; };

static struct assignment current, *waiting;
static uint32_t waiting_first, waiting_count;

static uint32_t index_of(uint8_t tid, uint32_t number) {
    for (uint32_t i = 0; i < current.count; i++)
        if (current.set[i].tid == tid && current.set[i].number == number) return current.set[i].index;
    return 0;
}

static struct input_choice *choice_at(uint32_t number, int bits, int is_signed) {
    for (uint32_t i = 0; i < G->choice_count; i++)
        if (G->choices[i].tid == self->tid && G->choices[i].number == number) return &G->choices[i];
    if (G->choice_count == MAX_CHOICES) { /* the rest are 0 */
        limit_reached(RP_LIMIT_INPUTS);
        return NULL;
    }
    struct input_choice *c = &G->choices[G->choice_count++];
    *c = (struct input_choice){.tid = self->tid, .bits = (uint8_t)bits, .is_signed = (uint8_t)is_signed,
                               .number = number, .index = index_of(self->tid, number)};
    return c;
}

/* A choice of the search like any other. */
static uint64_t choose_now(int bits, int is_signed) {
    uint32_t count = 0;
    uint64_t value = 0;
    while (candidate(bits, is_signed, count, &value)) count++;
    if (bits > 1) limit_reached(RP_LIMIT_INPUTS);
    if (count != 0) candidate(bits, is_signed, states_choose(count), &value);
    return value;
}

uint64_t rp_choose_input(int bits, int is_signed, const char *type) {
    (void)type;
    uint64_t value = 0;
    if (options.mode == MODE_REPLAY) {
        if (G->input_count < options.input_count) value = options.inputs[G->input_count];
    } else if (follows_states) {
        value = choose_now(bits, is_signed);
    } else {
        struct input_choice *c = choice_at(self->inputs++, bits, is_signed);
        if (bits > 1) limit_reached(RP_LIMIT_INPUTS);
        if (c != NULL)
            candidate(bits, is_signed, c->index, &value);
        else
            limit_reached(RP_LIMIT_INPUTS);
    }
    if (G->input_count < sizeof G->input_values / sizeof *G->input_values) {
        G->input_sites[G->input_count] = rp_site;
        G->input_values[G->input_count++] = value;
    }
    return value;
}

static void put_waiting(const struct input_choice *c, uint32_t index) {
    if (waiting == NULL) waiting = reserve(sizeof *waiting * MAX_WAITING);
    if (waiting_count - waiting_first == MAX_WAITING || current.count == MAX_SET) {
        limit_reached(RP_LIMIT_INPUTS);
        return;
    }
    struct assignment *a = &waiting[waiting_count++ % MAX_WAITING];
    *a = current;
    a->set[a->count++] = (struct setting){c->number, index, c->tid};
}

bool next_inputs(void) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < G->choice_count; i++)
        if (G->choices[i].index != 0) first = i + 1;
    for (uint32_t i = first; i < G->choice_count; i++) {
        const struct input_choice *c = &G->choices[i];
        uint64_t unused;
        for (uint32_t index = 1; candidate(c->bits, c->is_signed, index, &unused); index++) put_waiting(c, index);
    }
    G->choice_count = 0;
    if (waiting_first == waiting_count) return false;
    current = waiting[waiting_first++ % MAX_WAITING];
    return true;
}
