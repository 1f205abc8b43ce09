/* sampled.c: races by happens-before in programs that tell of every access, for raceproof.explore.
 *
 * The shadow of shadow.c keeps all that a search may want to know, for as many places as a small program has. This one is
 * for programs as they are used: a cell of four records for each 8 bytes of memory, in pages that are made where memory is
 * touched. What does not fit is dropped: of a cell a record that a newer one stands for, or an old one; of the pages the
 * oldest one.
 *
 * A record is a number: when (the thread's own clock), who, which bytes, how. An access that its thread has made in the same
 * way since it synchronised last finds its own record and is done, which is what most accesses do ([FF09], same epoch).
 */

#define _GNU_SOURCE
#include "sampled.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "heap.h"
#include "sched.h"

#define RECORDS 4
#define PAGE_SHIFT 12
#define CELLS_OF_PAGE ((1u << PAGE_SHIFT) / 8)
#define MAX_PAGES (1u << 14) /* 64 MB of the program's memory */
#define BUCKETS (1u << 16)
#define QUICK (1u << 10)

/* A record: clock 32 bits, thread 8, bytes 8, kind 16. */
#define OF_KIND(kind) ((uint64_t)(kind))
#define OF_BYTES(mask) ((uint64_t)(mask) << 16)
#define OF_THREAD(tid) ((uint64_t)(tid) << 24)
#define OF_CLOCK(clock) ((uint64_t)(clock) << 32)
enum { WRITES = 1, IS_ATOMIC = 2, FREES = 4, PRESENT = 8 };
#define BYTES_OF(r) ((uint8_t)((r) >> 16))
#define THREAD_OF(r) ((uint8_t)((r) >> 24))
#define CLOCK_OF(r) ((uint32_t)((r) >> 32))

/* Which access it was, how many steps its thread had done, and when, by the clock of the log (IN_LOG: it is in it). */
struct origin { uint32_t access, steps, when; };
#define IN_LOG (1u << 31)
struct origins { struct origin of[RECORDS]; };
struct records { uint64_t of[RECORDS]; };
struct page {
    struct records cells[CELLS_OF_PAGE];
    struct origins origins[CELLS_OF_PAGE];
    uint8_t next[CELLS_OF_PAGE]; /* behind the first one, the record that is replaced next */
};

bool samples;
int64_t sample_left;

static struct page *pages;
static uintptr_t *page_of;    /* what part of memory a page is about, by its number */
static uint32_t *bucket_next; /* pages of one bucket */
static uint32_t buckets[BUCKETS]; /* page number + 1 */
static uint32_t bucket_generation[BUCKETS];
static struct { uintptr_t part; struct page *page; } quick[QUICK];
static uint32_t page_count, oldest, generation;
static int64_t armed; /* what `sample_left` was set to */

static void *private_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) abort();
    return memory;
}

void sample_init(void) {
    samples = true;
    if (options.mode == MODE_SEARCH) log_init();
    pages = private_memory(sizeof *pages * MAX_PAGES);
    page_of = private_memory(sizeof *page_of * MAX_PAGES);
    bucket_next = private_memory(sizeof *bucket_next * MAX_PAGES);
}

/* Steps that were made without asking anybody. */
static void account(void) {
    int64_t used = armed - (sample_left > 0 ? sample_left : 0);
    if (used > 0) pulse.steps_left = pulse.steps_left > (uint64_t)used ? pulse.steps_left - (uint64_t)used : 1;
}

void sample_arm(int64_t accesses) {
    account();
    armed = sample_left = accesses > 0 ? accesses : 0;
}

#define KEPT_PAGES 256 /* cleared by hand; what is above goes back to the system */

void sample_reset(void) {
    uint32_t used = page_count < MAX_PAGES ? page_count : MAX_PAGES;
    for (uint32_t i = 0; i < used && i < KEPT_PAGES; i++) memset(&pages[i], 0, sizeof *pages);
    if (used > KEPT_PAGES) madvise(&pages[KEPT_PAGES], sizeof *pages * (used - KEPT_PAGES), MADV_DONTNEED);
    page_count = oldest = 0;
    generation++;
    memset(quick, 0, sizeof quick);
    armed = sample_left = 0;
    logging = false;
    memset(forked, 0, sizeof forked);
    if (options.mode == MODE_SEARCH && !driving) sample_run_begins();
}

/* ---- cells */

static uint32_t bucket_of(uintptr_t part) { return (uint32_t)((part * 0x9e3779b97f4a7c15u) >> 48) & (BUCKETS - 1); }

static void drop_page(uint32_t number) {
    uint32_t *link = &buckets[bucket_of(page_of[number])];
    while (*link != number + 1) link = &bucket_next[*link - 1];
    *link = bucket_next[number];
    memset(&pages[number], 0, sizeof *pages);
    memset(quick, 0, sizeof quick);
}

static __attribute__((noinline)) struct page *find_page(uintptr_t part) {
    uint32_t bucket = bucket_of(part);
    if (bucket_generation[bucket] != generation) {
        bucket_generation[bucket] = generation;
        buckets[bucket] = 0;
    }
    uint32_t number = buckets[bucket];
    while (number != 0 && page_of[number - 1] != part) number = bucket_next[number - 1];
    if (number == 0) {
        if (page_count < MAX_PAGES) {
            number = ++page_count;
        } else {
            limit_reached(RP_LIMIT_OLD_ACCESSES);
            number = ++oldest;
            oldest %= MAX_PAGES;
            drop_page(number - 1);
        }
        page_of[number - 1] = part;
        bucket_next[number - 1] = buckets[bucket];
        buckets[bucket] = number;
    }
    quick[part & (QUICK - 1)].part = part;
    quick[part & (QUICK - 1)].page = &pages[number - 1];
    return &pages[number - 1];
}

static inline struct page *page_at(uintptr_t address) {
    uintptr_t part = address >> PAGE_SHIFT;
    return __builtin_expect(quick[part & (QUICK - 1)].part == part, 1) ? quick[part & (QUICK - 1)].page : find_page(part);
}

static inline uint32_t cell_of(uintptr_t address) { return (uint32_t)(address >> 3) & (CELLS_OF_PAGE - 1); }

/* ---- races */

static void add_hit(const struct origin *earlier, uint8_t tid, uint32_t access, uint32_t steps, uintptr_t address) {
    if (!pair_is_new(earlier->access, access)) return;
    G->hits[G->hit_count++] = (struct hit){.a = earlier->access, .b = access, .steps_a = earlier->steps, .steps_b = steps,
                                           .tid_a = tid, .tid_b = self->tid, .address = address,
                                           .segments = G->segment_count};
}

static void freed(uint32_t access, bool writes) {
    report_other("use after free", writes ? "write to freed memory" : "read of freed memory", access);
}

/* Is a record covered by what comes now: nobody will race with it who does not race with that. */
static inline bool is_covered(uint64_t r, uint64_t mine) {
    return THREAD_OF(r) == THREAD_OF(mine) && (BYTES_OF(r) & ~BYTES_OF(mine)) == 0 && (r & (WRITES | FREES)) <= (mine & (WRITES | FREES)) &&
           (r & IS_ATOMIC) >= (mine & IS_ATOMIC);
}

/* Is it ordered before what comes now, so that who races with it races with that, or is ordered before it ([FF09])? */
static inline bool is_superseded(uint64_t r, uint64_t mine) {
    return (BYTES_OF(r) & ~BYTES_OF(mine)) == 0 && ((mine & WRITES) || !(r & WRITES)) && !(mine & IS_ATOMIC) &&
           CLOCK_OF(r) <= self->hb[THREAD_OF(r)];
}

static enum logged_kind logged_as(uint64_t r) {
    if (r & IS_ATOMIC) return r & WRITES ? LOG_ATOMIC_WRITE : LOG_ATOMIC_READ;
    return r & WRITES ? LOG_WRITE : LOG_READ;
}

static __attribute__((noinline)) void look_closely(struct page *page, uint32_t cell, uint64_t mine, uint32_t access,
                                                   uintptr_t word, uint8_t unsure) {
    struct records *records = &page->cells[cell];
    struct origins *origins = &page->origins[cell];
    uint32_t steps = self->steps - 1;
    int place = -1, superseded = -1;
    bool others = false;
    for (int i = 0; i < RECORDS; i++) {
        uint64_t r = records->of[i];
        if (r == 0) {
            if (place < 0) place = i;
            continue;
        }
        uint8_t common = BYTES_OF(r) & BYTES_OF(mine), tid = THREAD_OF(r);
        if (is_superseded(r, mine)) superseded = i;
        if (common != 0 && (r & FREES) && access != RP_NO_ACCESS) freed(access, mine & WRITES);
        if (tid == self->tid) {
            if (is_covered(r, mine)) place = i;
            continue;
        }
        if (CLOCK_OF(r) <= forked[self->tid][tid]) continue; /* no order of locks could change that */
        others = true;
        struct origin *o = &origins->of[i];
        if (logging && common != 0 && ((r | mine) & WRITES) && !(o->when & IN_LOG)) {
            log_access(logged_as(r), tid, o->steps, word, o->access, BYTES_OF(r), o->when);
            o->when |= IN_LOG;
        }
        if (common == 0 || !((r | mine) & WRITES) || (r & mine & IS_ATOMIC) || CLOCK_OF(r) <= self->hb[tid]) continue;
        uint8_t sure = (uint8_t)(common & ~unsure);
        if (sure != 0) add_hit(&origins->of[i], tid, access, steps, word + (uintptr_t)__builtin_ctz(sure));
    }
    if (place < 0) place = superseded;
    if (place < 0) { /* the first one is the newest */
        place = 1 + page->next[cell];
        page->next[cell] = (uint8_t)(place % (RECORDS - 1));
    }
    if (unsure == 0 || BYTES_OF(mine) != unsure) {
        uint64_t record = mine & ~OF_BYTES(unsure);
        if (place != 0 && records->of[0] != 0) { /* the newest one is looked at first */
            records->of[place] = records->of[0];
            origins->of[place] = origins->of[0];
        }
        records->of[0] = record;
        origins->of[0] = (struct origin){access, steps, log_now()};
    }
    if (!others) return;
    if (logging) {
        log_event(logged_as(mine), self, steps, word, access, BYTES_OF(mine));
        origins->of[0].when |= IN_LOG;
    }
    sample_met();
}

static inline uint64_t record_of(uint8_t mask, unsigned kind) {
    return OF_CLOCK(self->hb[self->tid]) | OF_THREAD(self->tid) | OF_BYTES(mask) | OF_KIND(kind | PRESENT);
}

/* Bytes of the word that [address, end) covers. */
static inline uint8_t mask_of(uintptr_t word, uintptr_t address, uintptr_t end) {
    unsigned low = address > word ? (unsigned)(address - word) : 0;
    unsigned high = end < word + 8 ? (unsigned)(end - word) : 8;
    return (uint8_t)((0xffu << low) & (0xffu >> (8 - high)));
}

static inline void look(uintptr_t word, uint8_t mask, uint8_t unsure, uint32_t access, unsigned kind) {
    struct page *page = page_at(word);
    uint32_t cell = cell_of(word);
    uint64_t mine = record_of(mask, kind);
    const struct records *records = &page->cells[cell];
    for (int i = 0; i < RECORDS; i++)
        if ((records->of[i] | (uint64_t)!(kind & WRITES)) == (mine | (uint64_t)!(kind & WRITES))) return;
    look_closely(page, cell, mine, access, word, unsure);
}

static void look_at_range(uintptr_t begin, uint64_t size, uint64_t unsure, uint32_t access, unsigned kind) {
    uintptr_t end = begin + size, doubtful = end - unsure;
    for (uintptr_t word = begin & ~(uintptr_t)7; word < end; word += 8) {
        uint8_t may = unsure != 0 && doubtful < word + 8 ? mask_of(word, doubtful > word ? doubtful : word, end) : 0;
        look(word, mask_of(word, begin, end), may, access, kind);
    }
}

/* What was there is over, once that has been told as a write: only the freeing is remembered. */
void sample_freed(const void *block, size_t size, uint32_t access) {
    uintptr_t begin = (uintptr_t)block, end = begin + size;
    for (uintptr_t word = begin & ~(uintptr_t)7; word < end; word += 8) {
        struct page *page = page_at(word);
        uint32_t cell = cell_of(word);
        memset(&page->cells[cell], 0, sizeof(struct records));
        page->cells[cell].of[0] = record_of(mask_of(word, begin, end), WRITES | FREES);
        page->origins[cell].of[0] = (struct origin){access, self->steps - 1, IN_LOG};
    }
}

void sample_detect(const struct op *op) {
    unsigned kind = (op->writes ? WRITES : 0u) | (op->kind == OP_ATOMIC ? IS_ATOMIC : 0u);
    look_at_range(op->object, op->size, op->unsure, op->id, kind);
}

void sample_forget(void *base, size_t size) {
    uintptr_t end = (uintptr_t)base + size;
    for (uintptr_t word = (uintptr_t)base & ~(uintptr_t)7; word < end; word += 8)
        memset(&page_at(word)->cells[cell_of(word)], 0, sizeof(struct records));
}

/* ---- hooks: plain loads and stores */

static __attribute__((noinline)) void ask(uintptr_t address, uint32_t access, uint32_t size, bool writes) {
    struct op op = {.kind = OP_MEMORY, .writes = writes, .size = size, .id = access, .object = address};
    account();
    armed = 0;
    point(&op, true, writes ? "write" : "read");
    if (options.mode == MODE_SEARCH && !driving) sample_arm(sample_interval());
}

static inline __attribute__((always_inline)) void told_of(const void *place, uint32_t access, uint32_t size, bool writes) {
    uintptr_t address = (uintptr_t)place;
    if (__builtin_expect(--sample_left < 0, 0))
        ask(address, access, size, writes);
    else
        self->steps++;
    if (__builtin_expect(self->polling, 0)) rp_poll(place, size);
    if (__builtin_expect((address & 7) + size > 8, 0))
        look_at_range(address, size, 0, access, writes ? WRITES : 0);
    else
        look(address & ~(uintptr_t)7, (uint8_t)(((1u << size) - 1) << (address & 7)), 0, access, writes ? WRITES : 0);
}

void rp_run_read(const void *address, uint32_t access, uint32_t size) { told_of(address, access, size, false); }

void rp_run_write(void *address, uint32_t access, uint32_t size) { told_of(address, access, size, true); }
