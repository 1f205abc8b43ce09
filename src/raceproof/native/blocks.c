/* blocks.c: which call has allocated a block of the heap, for replays, which tell it; for raceproof.explore.
 *
 * Of so many blocks the last ones are remembered.
 */

#include "blocks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "heap.h"
#include "report.h"

#define REMEMBERED (1u << 16)
#define MAX_CALLS 4

struct made {
    uint32_t number, site, calls[MAX_CALLS];
    size_t size;
    uint8_t owner, call_count;
    bool is_named;
};

static struct made *made;

static struct made *place_of(int owner, uint32_t number) {
    return &made[(number * RP_MAX_THREADS + (uint32_t)owner) & (REMEMBERED - 1)];
}

static void note(int owner, uint32_t number, size_t size) {
    struct made *m = place_of(owner, number);
    if (m->is_named && m->number != 0) return; /* told: it stays */
    *m = (struct made){.number = number, .site = rp_site, .size = size, .owner = (uint8_t)owner};
    if (self == NULL) return;
    uint32_t depth = self->depth < MAX_FRAMES ? self->depth : MAX_FRAMES;
    for (uint32_t i = depth > MAX_CALLS ? depth - MAX_CALLS : 0; i < depth; i++)
        m->calls[m->call_count++] = self->frames[i].site;
}

void blocks_init(void) {
    made = reserve(sizeof *made * REMEMBERED);
    heap_made = note;
}

void block_is_named(int owner, int number) {
    if (made == NULL) return;
    struct made *m = place_of(owner, (uint32_t)number);
    if (m->number == (uint32_t)number && m->owner == owner) m->is_named = true;
}

void blocks_tell(void) {
    for (uint32_t i = 0; i < REMEMBERED && made != NULL; i++) {
        const struct made *m = &made[i];
        if (!m->is_named) continue;
        report_put("block\t%u.%u\t%u\t%zu\t", m->owner, m->number, m->site, m->size);
        for (uint32_t k = 0; k < m->call_count; k++) report_put(k ? " %u" : "%u", m->calls[k]);
        report_end();
    }
}
