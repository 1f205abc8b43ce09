/* heap.c: the heap of the program under test (talks to raceproof.explore through rp_host; see heap.h).
 *
 * A region is an arena and an index of its blocks. Small blocks grow from the arena's bottom upwards and are entered
 * from the start of the index, large ones grow from the top downwards and are entered from its end: each half of the
 * index is sorted by address, so that an interior pointer is found by binary search.
 *
 * Invariant between executions: memory from `small_high` on is zero. Below it every allocation clears what it gives
 * out. Large blocks are never cleared byte by byte: their pages go back to the system at the reset.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "heap.h"
#include "states.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

enum { UNIT = 16, PAGE = 65536 /* a multiple of the page size on every machine */ };

#define LARGE ((size_t)256 * 1024)        /* blocks above: own pages */
#define KEPT ((size_t)16 * 1024 * 1024)   /* of small blocks: memory kept from one execution to the next */
#define QUARANTINE ((size_t)256 * 1024 * 1024)
#if UINTPTR_MAX > UINT32_MAX
#define LARGEST_REGION ((size_t)1 << 30)
#define MAIN_EXTRA 0
#else
#define LARGEST_REGION ((size_t)1 << 24)
#define MAIN_EXTRA 15                     /* the first thread has so many regions more: most programs begin with data */
#endif
#define BYTES_PER_ENTRY 64                /* of arena for one entry of the index */
#define NO_BLOCK UINT32_MAX
#define SCANNED_FREED 64                  /* freed blocks looked at before a fresh one is made after all */

struct block {
    uint32_t start;       /* in units, from the arena's begin */
    uint32_t capacity;    /* in units; always more than size, so that the end of a block is in no other one */
    size_t size;
    uint32_t number;
    uint32_t next_freed;
    enum heap_state state;
};

struct region {
    struct block *index;
    uintptr_t begin, end;
    uintptr_t small_top;      /* end of the small blocks */
    uintptr_t small_high;     /* see the invariant above */
    uintptr_t large_bottom;   /* begin of the large blocks */
    uint32_t small_count, large_count, allocations;
    uint32_t first_freed, last_freed;   /* a queue, oldest first */
    size_t freed_bytes;
    struct block *recent;   /* found last: most accesses go to the same block again */
    int used;
};


uintptr_t heap_begin, heap_end;
void (*heap_reused)(void *base, size_t size);
void (*heap_made)(int owner_tid, uint32_t number, size_t size);
int heap_compacts;

static struct region regions[RP_MAX_THREADS];
static int used_regions[RP_MAX_THREADS], used_count;
static size_t region_size, index_length, quarantine;
static int region_shift;   /* region_size is 1 << region_shift */
static size_t live_bytes;

static uintptr_t round_up(uintptr_t n, uintptr_t to) { return (n + to - 1) & ~(to - 1); }

static void clear_region(struct region *r) {
    r->small_top = r->begin;
    r->large_bottom = r->end;
    r->small_count = r->large_count = r->allocations = 0;
    r->first_freed = r->last_freed = NO_BLOCK;
    r->freed_bytes = 0;
    r->recent = NULL;
    r->used = 0;
}

/* ---- address space */

/* Zero the pages and give them back; both ends are multiples of PAGE. */
static void drop_pages(uintptr_t begin, uintptr_t end) {
    if (begin >= end) return;
#ifdef __linux__
    if (madvise((void *)begin, end - begin, MADV_DONTNEED) == 0) return;
#else
    void *at = mmap((void *)begin, end - begin, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (at != MAP_FAILED) return;
#endif
    memset((void *)begin, 0, end - begin);
}

static void *reserve_space(size_t size) {
#if UINTPTR_MAX > UINT32_MAX
    static const uintptr_t hints[] = {0x200000000000u, 0x2000000000u, 0};
#else
    static const uintptr_t hints[] = {0x10000000u, 0}; /* low: what else is needed comes from the top */
#endif
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        void *at = mmap((void *)hints[i], size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) continue;
        if ((uintptr_t)at == hints[i] || hints[i] == 0) return at;
        munmap(at, size);
    }
    return NULL;
}

void heap_init(void) {
    size_t total = 0;
    void *at = NULL;
    /* Smaller regions where the address space is limited: 32-bit programs, ulimit -v, strict overcommit. */
    for (region_size = LARGEST_REGION; at == NULL && region_size >= (size_t)1 << 20; region_size /= 4) {
        index_length = region_size / BYTES_PER_ENTRY;
        total = (region_size + round_up(index_length * sizeof(struct block), PAGE)) * RP_MAX_THREADS + PAGE;
        total += region_size * MAIN_EXTRA;
        at = reserve_space(total);
        if (at != NULL) break;
    }
    if (at == NULL) {
        fputs("rp_host: no address space for the program's heap\n", stderr);
        exit(4);
    }
#ifdef MADV_NOHUGEPAGE
    /* One byte used of a large block must not cost the clearing of a huge page in every execution. */
    (void)madvise(at, total, MADV_NOHUGEPAGE);
#endif
    region_shift = __builtin_ctzll(region_size);
    heap_begin = round_up((uintptr_t)at, PAGE);
    heap_end = heap_begin + region_size * (RP_MAX_THREADS + MAIN_EXTRA);
    quarantine = region_size / 4 < QUARANTINE ? region_size / 4 : QUARANTINE;
    size_t index_bytes = round_up(index_length * sizeof(struct block), PAGE);
    for (int i = 0; i < RP_MAX_THREADS; i++) {
        struct region *r = &regions[i];
        r->begin = heap_begin + region_size * (size_t)(i == 0 ? 0 : i + MAIN_EXTRA);
        r->end = r->begin + region_size * (i == 0 ? 1 + MAIN_EXTRA : 1);
        r->index = (struct block *)(heap_end + index_bytes * (size_t)i);
        r->small_high = r->begin;
        clear_region(r);
    }
    used_count = 0;
    live_bytes = 0;
}

/* ---- between executions */

static void reset_region(struct region *r) {
    drop_pages(r->large_bottom, r->end);
    if (r->small_top > r->small_high) r->small_high = r->small_top;
    if (r->small_high > r->begin + KEPT) {   /* an execution that took much must not make the process grow */
        drop_pages(r->begin + KEPT, round_up(r->small_high, PAGE));
        r->small_high = r->begin + KEPT;
        uintptr_t kept = round_up((uintptr_t)(r->index + KEPT / BYTES_PER_ENTRY), PAGE);
        drop_pages(kept, round_up((uintptr_t)(r->index + index_length), PAGE));
    }
    clear_region(r);
}

void heap_reset(void) {
    for (int i = 0; i < used_count; i++) reset_region(&regions[used_regions[i]]);
    used_count = 0;
    live_bytes = 0;
}

static void use_region(struct region *r) {
    if (r->used) return;
    r->used = 1;
    used_regions[used_count++] = (int)(r - regions);
}

/* ---- allocation */

static uintptr_t start_of(const struct region *r, const struct block *b) {
    return r->begin + (uintptr_t)b->start * UNIT;
}

static size_t capacity_of(const struct block *b) { return (size_t)b->capacity * UNIT; }

static void *enter(struct region *r, struct block *b, uintptr_t start, size_t capacity, size_t size) {
    b->start = (uint32_t)((start - r->begin) / UNIT);
    b->capacity = (uint32_t)(capacity / UNIT);
    b->size = size;
    b->number = ++r->allocations;
    b->next_freed = NO_BLOCK;
    b->state = HEAP_LIVE;
    live_bytes += size;
    if (heap_made) heap_made((int)(r - regions), b->number, size);
    return (void *)start;
}

static int index_is_full(const struct region *r) { return (size_t)r->small_count + r->large_count >= index_length; }

/* Clear the part of [begin, end) that an earlier execution may have written. */
static void clear_old(const struct region *r, uintptr_t begin, uintptr_t end) {
    if (end > r->small_high) end = r->small_high;
    if (begin < end) memset((void *)begin, 0, end - begin);
}

static void *alloc_small(struct region *r, size_t size, size_t align) {
    size_t capacity = round_up(size + 1, UNIT);
    uintptr_t start = round_up(r->small_top, align);
    if (start > r->large_bottom || capacity > r->large_bottom - start || index_is_full(r)) return NULL;
    clear_old(r, start, start + capacity);
    r->small_top = start + capacity;
    return enter(r, &r->index[r->small_count++], start, capacity, size);
}

static void *alloc_large(struct region *r, size_t size, size_t align) {
    size_t capacity = round_up(size + 1, PAGE);
    if (capacity > r->large_bottom - r->small_top || index_is_full(r)) return NULL;
    uintptr_t start = (r->large_bottom - capacity) & ~((uintptr_t)(align > PAGE ? align : PAGE) - 1);
    if (start < r->small_top) return NULL;
    clear_old(r, start, start + capacity);
    r->large_bottom = start;
    return enter(r, &r->index[index_length - ++r->large_count], start, capacity, size);
}

static int fits(const struct region *r, const struct block *b, size_t size, size_t align) {
    if (capacity_of(b) <= size || start_of(r, b) % align != 0) return 0;
    return capacity_of(b) / 4 <= size + UNIT;   /* no large block for a small one */
}

static void *reuse(struct region *r, struct block *b, size_t size) {
    uintptr_t start = start_of(r, b);
    r->freed_bytes -= capacity_of(b);
    if (capacity_of(b) > LARGE && start % PAGE == 0 && capacity_of(b) % PAGE == 0)
        drop_pages(start, start + capacity_of(b));
    else
        memset((void *)start, 0, capacity_of(b));
    if (heap_reused) heap_reused((void *)start, capacity_of(b));
    return enter(r, b, start, capacity_of(b), size);
}

/* The oldest freed block that fits, among the `limit` oldest. */
static void *take_freed(struct region *r, size_t size, size_t align, uint32_t limit) {
    uint32_t before = NO_BLOCK;
    for (uint32_t i = r->first_freed; i != NO_BLOCK && limit > 0; limit--) {
        struct block *b = &r->index[i];
        uint32_t next = b->next_freed;
        if (fits(r, b, size, align)) {
            if (before == NO_BLOCK) r->first_freed = next;
            else r->index[before].next_freed = next;
            if (r->last_freed == i) r->last_freed = before;
            return reuse(r, b, size);
        }
        before = i;
        i = next;
    }
    return NULL;
}

/* When it is compact: the lowest freed block that fits, so that a program which frees what it allocates comes back
 * to the same memory. */
static void *take_lowest(struct region *r, size_t size, size_t align) {
    for (uint32_t i = 0; i < r->small_count && r->freed_bytes > 0; i++)
        if (r->index[i].state == HEAP_FREED && fits(r, &r->index[i], size, align)) return reuse(r, &r->index[i], size);
    return NULL;
}

void *heap_alloc(int tid, size_t size, size_t align) {
    if (tid < 0 || tid >= RP_MAX_THREADS) return NULL;
    struct region *r = &regions[tid];
    if (size >= r->end - r->begin || align >= region_size) return NULL;
    void *block = NULL;
    if (align < UNIT) align = UNIT;
    use_region(r);
    if (heap_compacts) {
        block = size > LARGE ? NULL : take_lowest(r, size, align);
        return block != NULL || size > LARGE ? block : alloc_small(r, size, align);
    }
    if (r->freed_bytes > quarantine) block = take_freed(r, size, align, SCANNED_FREED);
    if (block == NULL) block = size > LARGE ? alloc_large(r, size, align) : alloc_small(r, size, align);
    if (block == NULL) block = take_freed(r, size, align, UINT32_MAX);
    return block;
}

/* ---- finding, resizing, freeing */

/* The last of `count` entries that starts at or before p. Without branches that depend on the comparison: which way
 * the search goes cannot be predicted. */
static struct block *search(const struct region *r, struct block *entries, size_t count, uintptr_t p) {
    uintptr_t unit = (p - r->begin) / UNIT;
    if (count == 0 || entries->start > unit) return NULL;
    while (count > 1) {
        size_t half = count / 2;
        entries += entries[half].start <= unit ? half : 0;
        count -= half;
    }
    return entries;
}

/* The block whose memory, with the gap behind it, has p in it. */
static struct block *block_at(const void *pointer, struct region **region) {
    if (!heap_contains(pointer)) return NULL;
    uintptr_t p = (uintptr_t)pointer;
    size_t at = (p - heap_begin) >> region_shift;
    struct region *r = &regions[at <= MAIN_EXTRA ? 0 : at - MAIN_EXTRA];
    struct block *b = r->recent;
    *region = r;
    if (b != NULL && p - start_of(r, b) < capacity_of(b)) return b;
    if (p >= r->large_bottom) b = search(r, r->index + index_length - r->large_count, r->large_count, p);
    else b = p < r->small_top ? search(r, r->index, r->small_count, p) : NULL;
    if (b != NULL) r->recent = b;
    return b;
}

enum heap_state heap_find(const void *p, void **base, size_t *size, int *owner_tid, int *number) {
    struct region *r;
    struct block *b = block_at(p, &r);
    if (b == NULL) return HEAP_NONE;
    uintptr_t offset = (uintptr_t)p - start_of(r, b);
    if (offset >= b->size && offset != 0) return HEAP_NONE;
    if (base) *base = (void *)start_of(r, b);
    if (size) *size = b->size;
    if (owner_tid) *owner_tid = (int)(r - regions);
    if (number) *number = (int)b->number;
    return b->state;
}

int heap_resize(int tid, void *p, size_t size) {
    struct region *r;
    struct block *b = block_at(p, &r);
    if (b == NULL || b->state != HEAP_LIVE || start_of(r, b) != (uintptr_t)p) return 0;
    if (size >= capacity_of(b)) {
        uintptr_t end = (uintptr_t)p + capacity_of(b);
        int is_last = end == r->small_top && b == &r->index[r->small_count - 1];
        if (!is_last || tid != (int)(r - regions) || size > LARGE) return 0;
        size_t capacity = round_up(size + 1, UNIT);
        if (capacity > r->large_bottom - (uintptr_t)p) return 0;
        clear_old(r, end, (uintptr_t)p + capacity);
        r->small_top = (uintptr_t)p + capacity;
        b->capacity = (uint32_t)(capacity / UNIT);
    }
    live_bytes = live_bytes - b->size + size;
    b->size = size;
    return 1;
}

int heap_free(void *p) {
    struct region *r;
    struct block *b = block_at(p, &r);
    if (b == NULL || start_of(r, b) != (uintptr_t)p) return 2;
    if (b->state == HEAP_FREED) return 1;
    uint32_t i = (uint32_t)(b - r->index);
    b->state = HEAP_FREED;
    b->next_freed = NO_BLOCK;
    if (!heap_compacts) {
        if (r->first_freed == NO_BLOCK) r->first_freed = i;
        else r->index[r->last_freed].next_freed = i;
        r->last_freed = i;
    }
    r->freed_bytes += capacity_of(b);
    live_bytes -= b->size;
    return 0;
}

size_t heap_live_bytes(void) { return live_bytes; }

/* ---- states: blocks of a region, and what is in them; there are no large ones. `small_high` only grows, so that what a
 * later state has written is cleared when it is given out again. */

void heap_keep(void) {
    state_keep(&live_bytes, sizeof live_bytes);
    for (int i = 0; i < used_count; i++) {
        struct region *r = &regions[used_regions[i]];
        state_keep(&r->small_top, sizeof r->small_top);
        state_keep(&r->small_count, offsetof(struct region, recent) - offsetof(struct region, small_count));
        state_keep(r->index, r->small_count * sizeof *r->index);
        state_keep((void *)r->begin, r->small_top - r->begin);
    }
}

void heap_settle(void) {
    for (int i = 0; i < used_count; i++) {
        struct region *r = &regions[used_regions[i]];
        if (r->small_top > r->small_high) r->small_high = r->small_top;
        clear_region(r); /* one that the state did not use yet */
        r->used = 1;
    }
}

/* Where blocks are decides where later ones will be. */
void heap_tell_of(int tid) {
    const struct region *r = &regions[tid];
    state_tell_number(r->small_count);
    for (uint32_t k = 0; k < r->small_count; k++) {
        const struct block *b = &r->index[k];
        state_tell_number((uint64_t)b->start << 32 | b->capacity);
        state_tell_number(b->state == HEAP_LIVE ? b->size : UINT64_MAX);
        if (b->state == HEAP_LIVE) state_tell((void *)start_of(r, b), b->size);
    }
}

void heap_part_of(int tid, uintptr_t part[2]) {
    part[0] = regions[tid].begin;
    part[1] = regions[tid].small_top;
}

bool heap_is_of(int tid, const void *p) {
    return regions[tid].small_count != 0 && (uintptr_t)p - regions[tid].begin <= regions[tid].small_top - regions[tid].begin;
}
