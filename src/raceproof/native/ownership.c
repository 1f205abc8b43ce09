/* ownership.c: thread states, with the tables of raceproof.explore.future_places.
 *
 * Follows [DHTC, Fig. 2].
 * Paper -> here: T_tau, the transitions of a thread -> all accesses that it may still make (futures.c), seen or not; t' is
 * coenabled with t -> another thread that has not ended, or may still be created, may make the access t'; "on the same
 * object" -> on the same bytes, as far as this run knows where they are; threadrace -> is_race_state;
 * threadreadonly, threadwriteonly -> not so; threadshare -> no question: two reads are no pair.
 * As printed: l.6-8 and 16-17, reads alone are shared, a write makes a race; l.9-11 and 19-22, without another thread that
 * is coenabled the object is owned, and its owner may read and write it; that a thread's end gives back what it had
 * (Fig. 1, dotted) follows, because a thread that has ended makes no access.
 * Repaired:
 *   l.5, 14     ask for *some* t' that is coenabled with the last or the first transition; here, for all of them.
 *   l.13        only goes through what was executed; here, what the branches that were not taken would do counts, too.
 *   l.19, 21    say that whoever has created an object owns it for ever; here, as long as no other thread may come to it.
 *   l.6         does not ask whether t'' and t' are about one object; here, two places in different bytes are owned.
 * Ours: places come from static facts and the run together. An argument, and a global variable that nobody writes while its
 * users run, are read when the thread is created: then two threads with nodes of their own on the heap do not meet there,
 * though one instruction has allocated both.
 *
 * Beside them: the locks that a thread certainly holds at an access to come, whose addresses are told in the same way. They
 * are [PDP, Fig. 4] l.5 for branches that were not taken (futures.c asks).
 */

#include "ownership.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define MAX_VALUES 24
#define VALUES (1u << 20)

struct term { char what; int64_t number; }; /* p number, b base, m factor, l size of a load, a argument, + */
struct place { uint32_t size, first_term, terms, first_object, objects; bool is_read; };
struct touch { uint32_t access, first_place, places; }; /* also: locks that are held; places: of `held` then */
struct hold { uint32_t place; bool shared; };
struct class { uint32_t site, function, first_touch, touches, first_place, places, first_hold, holds, first_held, held; };

static struct term *terms;
static struct place *places;
static struct touch *touches, *holds;
static struct hold *held;
static struct class *classes;
static uint32_t *objects, *touched; /* touched: places of touches */
static uint32_t term_count, place_count, touch_count, class_count, object_count, touched_count, hold_count, held_count;
static uint32_t base_at; /* program.tokens: the bases stand behind the locks */

/* Where a place is, for threads of one ground; `end` 0: not known. Those of `held` stand behind those of `touched`. */
struct extent { uint64_t begin, end; };

static struct ground { uint64_t hash; uint32_t class, values; } *grounds; /* shared with child processes */
static struct extent *extents;
static struct { uint32_t grounds, extents; } *used;
static ground_id function_ground[64];

static void *grown(void *array, uint32_t count, uint32_t more, size_t size) {
    uint32_t room = 64;
    while (room < count) room *= 2;
    if (array != NULL && count + more <= room) return array;
    while (room < count + more) room *= 2;
    array = realloc(array, room * size);
    if (array == NULL) abort();
    return array;
}

/* ---- reading */

static struct place *place_at(uint32_t number) {
    while (place_count <= number) {
        places = grown(places, place_count, 1, sizeof *places);
        places[place_count++] = (struct place){0};
    }
    return &places[number];
}

static bool read_place(char *rest) {
    char *end;
    struct place *p = place_at((uint32_t)strtoul(rest, &end, 10));
    p->size = (uint32_t)strtoul(end, &end, 10);
    p->first_term = term_count;
    for (char *word = strtok(end, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strchr("pbmla+", word[0]) == NULL || p->terms == MAX_VALUES) return false;
        terms = grown(terms, term_count, 1, sizeof *terms);
        terms[term_count++] = (struct term){word[0], strtoll(word + 1, NULL, 10)};
        p->terms++;
    }
    return true;
}

static bool read_lies(char *rest) {
    char *end;
    struct place *p = place_at((uint32_t)strtoul(rest, &end, 10));
    p->first_object = object_count;
    for (char *word = strtok(end, " "); word != NULL; word = strtok(NULL, " ")) {
        objects = grown(objects, object_count, 1, sizeof *objects);
        objects[object_count++] = (uint32_t)strtoul(word, NULL, 10);
        p->objects++;
    }
    return true;
}

static bool read_class(char *rest) {
    unsigned number, value;
    char what[16];
    if (sscanf(rest, "%u %15s %u", &number, what, &value) != 3 || number != class_count) return false;
    bool is_site = strcmp(what, "site") == 0;
    classes = grown(classes, class_count, 1, sizeof *classes);
    classes[class_count++] = (struct class){.site = is_site ? value : NONE, .function = is_site ? NONE : value,
                                            .first_touch = touch_count, .first_hold = hold_count,
                                            .first_held = held_count};
    return true;
}

static bool read_touch(char *rest) {
    char *end;
    uint32_t class = (uint32_t)strtoul(rest, &end, 10);
    if (class + 1 != class_count) return false; /* they stand behind their class */
    touches = grown(touches, touch_count, 1, sizeof *touches);
    struct touch *t = &touches[touch_count++];
    *t = (struct touch){(uint32_t)strtoul(end, &end, 10), touched_count, 0};
    for (char *word = strtok(end, " "); word != NULL; word = strtok(NULL, " ")) {
        touched = grown(touched, touched_count, 1, sizeof *touched);
        touched[touched_count++] = (uint32_t)strtoul(word, NULL, 10);
        if (touched[touched_count - 1] >= place_count) return false;
        t->places++;
    }
    classes[class].touches++;
    return true;
}

static bool read_holds(char *rest) {
    char *end;
    uint32_t class = (uint32_t)strtoul(rest, &end, 10);
    if (class + 1 != class_count) return false;
    holds = grown(holds, hold_count, 1, sizeof *holds);
    struct touch *h = &holds[hold_count++];
    *h = (struct touch){(uint32_t)strtoul(end, &end, 10), held_count, 0};
    for (char *word = strtok(end, " "); word != NULL; word = strtok(NULL, " ")) {
        held = grown(held, held_count, 1, sizeof *held);
        held[held_count] = (struct hold){(uint32_t)strtoul(word + (*word == 's'), NULL, 10), *word == 's'};
        if (held[held_count++].place >= place_count || ++h->places > MAX_HELD) return false;
    }
    classes[class].holds++;
    classes[class].held += h->places;
    return true;
}

bool ownership_directive(const char *word, char *rest, bool *is_mine) {
    *is_mine = true;
    if (strcmp(word, "place") == 0) return read_place(rest);
    if (strcmp(word, "lies") == 0) return read_lies(rest);
    if (strcmp(word, "class") == 0) return read_class(rest);
    if (strcmp(word, "touch") == 0) return read_touch(rest);
    if (strcmp(word, "holds") == 0) return read_holds(rest);
    *is_mine = false;
    return false;
}

void ownership_ready(uint32_t locks) {
    base_at = locks;
    if (class_count == 0) return;
    for (uint32_t c = 0; c < class_count; c++) {
        struct class *class = &classes[c];
        const struct touch *first = &touches[class->first_touch], *last = first + class->touches - 1;
        if (class->touches == 0) continue;
        class->first_place = first->first_place;
        class->places = last->first_place + last->places - first->first_place;
    }
    grounds = reserve(sizeof *grounds * MAX_GROUNDS);
    extents = reserve(sizeof *extents * VALUES);
    used = reserve(sizeof *used);
    used->grounds = 1;
}

/* ---- grounds */

/* `t` is null for threads that are not created yet: they have no argument, and what they read may still change. */
static bool value_of(const struct place *p, const struct thread *t, uint64_t *value) {
    uint64_t stack[MAX_VALUES];
    uint32_t top = 0;
    bool has_own = t != NULL && t->tid != 0;
    for (uint32_t i = 0; i < p->terms; i++) {
        const struct term *term = &terms[p->first_term + i];
        switch (term->what) {
        case 'p': stack[top++] = (uint64_t)term->number; break;
        case 'b': stack[top++] = (uintptr_t)program.tokens[base_at + (uint64_t)term->number]; break;
        case 'a':
            if (!has_own) return false;
            stack[top++] = (uintptr_t)t->argument;
            break;
        case 'm':
            if (top < 1) return false;
            stack[top - 1] *= (uint64_t)term->number;
            break;
        case 'l': /* of a global variable */
            if (!has_own || top < 1 || term->number != (int64_t)sizeof(uintptr_t)) return false;
            stack[top - 1] = *(const uintptr_t *)stack[top - 1];
            break;
        default:
            if (top < 2) return false;
            top--;
            stack[top - 1] += stack[top];
        }
    }
    *value = top == 1 ? (uintptr_t)stack[0] : 0;
    return top == 1;
}

static ground_id interned(uint32_t c, const struct thread *t) {
    const struct class *class = &classes[c];
    uint32_t values = class->places + class->held;
    if (used->extents + values > VALUES) return GROUND_UNKNOWN;
    struct extent *mine = &extents[used->extents];
    uint64_t hash = c + 1;
    for (uint32_t i = 0; i < values; i++) {
        uint32_t number = i < class->places ? touched[class->first_place + i] : held[class->first_held + i - class->places].place;
        const struct place *p = &places[number];
        uint64_t at;
        bool is_known = p->terms > 0 && value_of(p, t, &at) && at + p->size > at;
        mine[i] = is_known ? (struct extent){at, at + p->size} : (struct extent){0, 0};
        hash = (hash ^ mine[i].begin) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 31;
    }
    for (uint32_t g = 1; g < used->grounds; g++)
        if (grounds[g].hash == hash && grounds[g].class == c &&
            memcmp(&extents[grounds[g].values], mine, values * sizeof *mine) == 0)
            return (ground_id)g;
    if (used->grounds == MAX_GROUNDS) return GROUND_UNKNOWN;
    grounds[used->grounds] = (struct ground){hash, c, used->extents};
    used->extents += values;
    return (ground_id)used->grounds++;
}

ground_id ground_of_thread(const struct thread *t) {
    if (used == NULL) return GROUND_UNKNOWN;
    for (uint32_t c = 0; c < class_count; c++)
        if (classes[c].function == NONE && classes[c].site == t->created_at) return interned(c, t);
    return GROUND_UNKNOWN;
}

ground_id ground_of_function(uint32_t function) {
    if (used == NULL || function >= 64) return GROUND_UNKNOWN;
    for (uint32_t c = 0; c < class_count && function_ground[function] == GROUND_UNKNOWN; c++)
        if (classes[c].site == NONE && classes[c].function == function) function_ground[function] = interned(c, NULL);
    return function_ground[function];
}

/* ---- states */

/* The row of an access in a table that is sorted by access; null if there is none. */
static const struct touch *row_of(const struct touch *rows, uint32_t count, uint32_t access) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (rows[middle].access < access) low = middle + 1;
        else high = middle;
    }
    return low < count && rows[low].access == access ? &rows[low] : NULL;
}

static const struct touch *touch_of(const struct ground *g, uint32_t access) {
    const struct class *class = &classes[g->class];
    return class->touches == 0 ? NULL : row_of(touches + class->first_touch, class->touches, access);
}

static bool share_an_object(const struct place *p, const struct place *q) {
    for (uint32_t i = 0, j = 0; i < p->objects && j < q->objects;) { /* both are sorted */
        uint32_t a = objects[p->first_object + i], b = objects[q->first_object + j];
        if (a == b) return true;
        if (a < b) i++;
        else j++;
    }
    return false;
}

static bool may_overlap(const struct ground *g, uint32_t i, const struct ground *h, uint32_t j) {
    const struct extent *a = &extents[g->values + (i - classes[g->class].first_place)];
    const struct extent *b = &extents[h->values + (j - classes[h->class].first_place)];
    if (a->end != 0 && b->end != 0) return a->begin < b->end && b->begin < a->end;
    return share_an_object(&places[touched[i]], &places[touched[j]]);
}

bool is_race_state(ground_id first, uint32_t a, ground_id second, uint32_t b) {
    if (!options.algorithm->owns || first == GROUND_UNKNOWN || second == GROUND_UNKNOWN) return true;
    const struct ground *g = &grounds[first], *h = &grounds[second];
    const struct touch *x = touch_of(g, a), *y = touch_of(h, b);
    if (x == NULL || y == NULL) return true;
    for (uint32_t i = 0; i < x->places; i++)
        for (uint32_t j = 0; j < y->places; j++)
            if (may_overlap(g, x->first_place + i, h, y->first_place + j)) return true;
    return false;
}

bool may_touch_bytes(ground_id ground, uint32_t a, uintptr_t begin, uint32_t size) {
    bool is_known = options.algorithm->owns && ground != GROUND_UNKNOWN;
    const struct touch *t = is_known ? touch_of(&grounds[ground], a) : NULL;
    if (t == NULL) return true;
    const struct extent *first = &extents[grounds[ground].values + (t->first_place - classes[grounds[ground].class].first_place)];
    for (uint32_t i = 0; i < t->places; i++)
        if (first[i].end == 0 || (begin < first[i].end && first[i].begin < (uint64_t)begin + size)) return true;
    return false;
}

/* ---- locks */

uint32_t ground_locks(ground_id ground, uint32_t access, struct ground_lock locks[MAX_HELD]) {
    if (ground == GROUND_UNKNOWN) return 0;
    const struct ground *g = &grounds[ground];
    const struct class *class = &classes[g->class];
    const struct touch *row = class->holds == 0 ? NULL : row_of(holds + class->first_hold, class->holds, access);
    uint32_t count = 0;
    for (uint32_t i = 0; row != NULL && i < row->places; i++) {
        uint32_t number = row->first_place + i;
        const struct extent *e = &extents[g->values + class->places + (number - class->first_held)];
        bool is_known = e->end != 0 && e->begin != 0; /* nobody holds a lock at 0 */
        if (is_known) locks[count++] = (struct ground_lock){(uintptr_t)e->begin, held[number].shared};
    }
    return count;
}
