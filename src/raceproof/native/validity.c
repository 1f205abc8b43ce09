/* validity.c: which bytes of the program's memory were never written, for raceproof.explore.
 *
 * A local variable or a block of the allocator begins with any bytes. Where the static facts cannot tell that nothing
 * is read of them before it was written (facts/uninitialised.py), the instrumented program says when such memory comes
 * to be, is written and copied, and asks before it is read. A read of what was never written may give any value: it
 * bounds the search. Memory that nobody speaks of counts as written.
 *
 * The shadow of a page has one bit for each bit of it, set where nothing was written: fields of bits need no less. Only
 * pages that have had such bits in this execution have a shadow; a table finds it by the page's number.
 */

#include "validity.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "libc.h"
#include "sched.h"
#include "states.h"

#define PAGE_BITS 12
#define PAGE_SIZE ((size_t)1 << PAGE_BITS)
#define SLOTS (1u << 19)
#define MAX_PAGES (SLOTS / 2)

struct page {
    uintptr_t number;
    uint32_t execution; /* of which it is; older ones are empty slots */
    bool is_unwritten;  /* all of it: then it needs no shadow */
    uint8_t *shadow;
};

bool follows_validity;
static struct page *table;
static uint8_t **pool; /* shadows that were made, of which so many are in use */
static size_t pool_made, pool_used;
static uint32_t execution, page_count;
static struct page *recent;
static struct page **in_use; /* those of this execution, in the order in which they were made */

void validity_reset(void) {
    if (!follows_validity) return;
    if (table == NULL) {
        table = calloc(SLOTS, sizeof *table);
        pool = calloc(MAX_PAGES, sizeof *pool);
        in_use = calloc(MAX_PAGES, sizeof *in_use);
        if (table == NULL || pool == NULL || in_use == NULL) exit(4);
    }
    execution++;
    pool_used = page_count = 0;
    recent = NULL;
}

static struct page *slot_of(uintptr_t number) {
    for (uint32_t at = (uint32_t)((uint64_t)number * 0x9e3779b97f4a7c15u >> 45);; at = (at + 1) % SLOTS)
        if (table[at].execution != execution || table[at].number == number) return &table[at];
}

/* The page, if it has bytes that were never written. */
static inline struct page *find(uintptr_t number) {
    if (recent != NULL && recent->number == number) return recent;
    struct page *page = slot_of(number);
    if (page->execution != execution) return NULL;
    return recent = page;
}

static struct page *make(uintptr_t number) {
    struct page *page = find(number);
    if (page != NULL) return page;
    if (page_count == MAX_PAGES) {
        report_other("limit", "more uninitialised memory than the explorer follows", rp_site);
        return NULL;
    }
    page = slot_of(number);
    *page = (struct page){.number = number, .execution = execution};
    in_use[page_count++] = page;
    return page;
}

/* Its bits, made if there are none yet: all set, or all clear. */
static uint8_t *bits_of(struct page *page) {
    if (page->shadow != NULL) return page->shadow;
    if (pool_used == pool_made) {
        pool[pool_made] = malloc(PAGE_SIZE);
        if (pool[pool_made] == NULL) exit(4);
        pool_made++;
    }
    page->shadow = pool[pool_used++];
    memset(page->shadow, page->is_unwritten ? 0xff : 0, PAGE_SIZE);
    page->is_unwritten = false;
    return page->shadow;
}

/* The part of [at, at + size) that is in one page. */
static inline size_t part(uintptr_t at, size_t size) {
    size_t rest = PAGE_SIZE - (at & (PAGE_SIZE - 1));
    return size < rest ? size : rest;
}

#define FOR_PAGES(at, size, length) \
    for (size_t length; size > 0 && (length = part(at, size), true); at += length, size -= length)

void validity_fresh(const void *begin, size_t size) {
    if (!follows_validity || table == NULL) return;
    uintptr_t at = (uintptr_t)begin;
    FOR_PAGES(at, size, length) {
        struct page *page = make(at >> PAGE_BITS);
        if (page == NULL) return;
        if (length == PAGE_SIZE && !follows_states) { /* whose shadows stay where they are */
            page->is_unwritten = true;
            page->shadow = NULL;
        } else if (!page->is_unwritten) {
            memset(bits_of(page) + (at & (PAGE_SIZE - 1)), 0xff, length);
        }
    }
}

void validity_written(const void *begin, size_t size) {
    if (!follows_validity || table == NULL) return;
    uintptr_t at = (uintptr_t)begin;
    if (page_count == 0) return;
    FOR_PAGES(at, size, length) {
        struct page *page = find(at >> PAGE_BITS);
        if (page != NULL) memset(bits_of(page) + (at & (PAGE_SIZE - 1)), 0, length);
    }
}

static inline uint8_t unwritten_bits(uintptr_t at) {
    struct page *page = find(at >> PAGE_BITS);
    if (page == NULL) return 0;
    return page->is_unwritten ? 0xff : page->shadow == NULL ? 0 : page->shadow[at & (PAGE_SIZE - 1)];
}

static void set_unwritten_bits(uintptr_t at, uint8_t bits) {
    struct page *page = bits != 0 ? make(at >> PAGE_BITS) : find(at >> PAGE_BITS);
    if (page != NULL) bits_of(page)[at & (PAGE_SIZE - 1)] = bits;
}

void validity_copied(const void *to, const void *from, size_t size) {
    if (!follows_validity || table == NULL || page_count == 0) return;
    uintptr_t target = (uintptr_t)to, source = (uintptr_t)from;
    bool backwards = target > source && target < source + size;
    for (size_t i = 0; i < size; i++) {
        size_t k = backwards ? size - 1 - i : i;
        set_unwritten_bits(target + k, unwritten_bits(source + k));
    }
}

/* ---- hooks */

static void tell(uint32_t site) {
    report_other("uninitialised", "an uninitialised value, which may be any, is read", site);
}

void rp_undefined(uint32_t is_undefined, uint32_t site) {
    if (is_undefined) tell(site);
}

void rp_fresh(const void *begin, uint64_t size) { validity_fresh(begin, (size_t)size); }

void rp_set_range(const void *begin, uint32_t site, uint64_t size) {
    (void)site;
    if (begin != NULL) validity_written(begin, (size_t)size);
}

void rp_set_string(const char *string, uint32_t site) {
    (void)site;
    if (string != NULL) validity_written(string, strlen(string) + 1);
}

/* A library function has filled in something, and the tables do not say how much: what was not written from here on,
 * but no more than `most` bytes. */
void rp_set_rest(const void *begin, uint64_t most) {
    uintptr_t at = (uintptr_t)begin;
    if (begin == NULL || !follows_validity) return;
    for (uint64_t i = 0; i < most && unwritten_bits(at + i) != 0; i++) set_unwritten_bits(at + i, 0);
}

/* Only the bits outside of `kept`: the others were read in the same step, and are stored as they were. */
void rp_set_bits(const void *begin, uint64_t kept, uint32_t size) {
    uintptr_t at = (uintptr_t)begin;
    if (page_count == 0) return;
    for (uint32_t i = 0; i < size; i++, at++) {
        uint8_t bits = unwritten_bits(at);
        if (bits != 0) set_unwritten_bits(at, bits & (uint8_t)(kept >> (8 * i)));
    }
}

void rp_check_bits(const void *begin, uint64_t used, uint32_t size, uint32_t site) {
    uintptr_t at = (uintptr_t)begin;
    if (page_count == 0) return;
    for (uint32_t i = 0; i < size; i++)
        if (unwritten_bits(at + i) & (uint8_t)(used >> (8 * i))) {
            tell(site);
            return;
        }
}

void rp_check_range(const void *begin, uint32_t site, uint64_t size) {
    uintptr_t at = (uintptr_t)begin;
    if (page_count == 0 || begin == NULL) return;
    for (uint64_t i = 0; i < size; i++) {
        struct page *page = find((at + i) >> PAGE_BITS);
        if (page == NULL) {
            i += part(at + i, PAGE_SIZE) - 1;
        } else if (unwritten_bits(at + i) != 0) {
            tell(site);
            return;
        }
    }
}

void rp_check_string(const char *string, uint32_t site) {
    if (string != NULL) rp_check_range(string, site, strlen(string) + 1);
}

void rp_copied(const void *to, const void *from, uint64_t size) { validity_copied(to, from, (size_t)size); }

/* ---- states: the bits that are set. A page without any is as one that nobody has made. */

static bool set_part(const struct page *page, size_t *first, size_t *end) {
    const uint64_t *words = (const uint64_t *)(const void *)page->shadow;
    size_t count = page->shadow != NULL ? PAGE_SIZE / sizeof *words : 0, begin = 0;
    while (begin < count && words[begin] == 0) begin++;
    while (count > begin && words[count - 1] == 0) count--;
    *first = begin * sizeof *words;
    *end = count * sizeof *words;
    return begin < count;
}

void validity_keep(void) {
    size_t first, end;
    for (uint32_t i = 0; i < page_count; i++)
        if (set_part(in_use[i], &first, &end)) state_keep(in_use[i]->shadow + first, end - first);
}

void validity_settle(void) {
    for (uint32_t i = 0; i < page_count; i++)
        if (in_use[i]->shadow != NULL) memset(in_use[i]->shadow, 0, PAGE_SIZE);
}

void validity_tell(void) {
    size_t first, end;
    for (uint32_t i = 0; i < page_count; i++) {
        if (!set_part(in_use[i], &first, &end)) continue;
        state_tell_number(in_use[i]->number << PAGE_BITS | first);
        state_tell_number(end);
        state_tell(in_use[i]->shadow + first, end - first);
    }
}
