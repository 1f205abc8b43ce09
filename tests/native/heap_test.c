/* heap_test.c: native/heap.c against a plain model, on random sequences of operations (see tests/unit/explore). */
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: %s (seed %u)\n", __FILE__, __LINE__, #condition, seed); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

enum { MAX_BLOCKS = 400, TIDS = 4, LARGE = 256 * 1024 };

struct model_block {
    unsigned char *start;
    size_t size, most; /* the largest size it has had */
    int tid, number, is_live;
    unsigned char fill;
};

static unsigned seed;
static uint64_t state;
static struct model_block blocks[MAX_BLOCKS];
static int block_count, numbers[TIDS];
static size_t live;

static uint32_t any(uint32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % bound;
}

static size_t any_size(void) {
    switch (any(20)) {
    case 0: return 0;
    case 1: return any(40000);
    case 2: return LARGE - 2 + any(4);
    case 3: return LARGE + any(500000);
    default: return any(200);
    }
}

static int is_filled(const struct model_block *b, size_t from, size_t to, unsigned char with) {
    for (size_t i = from; i < to; i++)
        if (b->start[i] != with) return 0;
    return 1;
}

static void model_reset(void) {
    heap_reset();
    block_count = 0;
    live = 0;
    memset(numbers, 0, sizeof numbers);
}

static void do_alloc(void) {
    static const size_t alignments[] = {0, 1, 8, 16, 64, 4096, 1 << 20};
    struct model_block *b = &blocks[block_count++];
    size_t align = any(4) ? 0 : alignments[any(7)];
    b->tid = (int)any(TIDS);
    b->size = b->most = any_size();
    b->start = heap_alloc(b->tid, b->size, align);
    b->number = ++numbers[b->tid];
    b->is_live = 1;
    b->fill = (unsigned char)(1 + any(255));
    CHECK(b->start != NULL);
    CHECK((uintptr_t)b->start % 16 == 0 && (align == 0 || (uintptr_t)b->start % align == 0));
    CHECK(is_filled(b, 0, b->size, 0));
    memset(b->start, b->fill, b->size);
    live += b->size;
}

static void do_free(void) {
    struct model_block *b = &blocks[any((uint32_t)block_count)];
    CHECK(heap_free(b->start) == (b->is_live ? 0 : 1));
    if (b->size > 1) CHECK(heap_free(b->start + 1 + any((uint32_t)b->size - 1)) == 2);
    if (b->is_live) live -= b->size;
    b->is_live = 0;
}

static void do_resize(void) {
    struct model_block *b = &blocks[any((uint32_t)block_count)];
    size_t size = any_size();
    int done = heap_resize((int)any(TIDS), b->start, size);
    if (!b->is_live) CHECK(!done);
    else if (size <= b->size) CHECK(done);
    if (!done) return;
    live = live - b->size + size;
    CHECK(is_filled(b, 0, size < b->size ? size : b->size, b->fill));
    if (size > b->most) {
        CHECK(is_filled(b, b->most, size, 0));
        b->most = size;
    }
    memset(b->start, b->fill, size);
    b->size = size;
}

/* By going through all blocks: the specification of heap_find. */
static struct model_block *model_find(const unsigned char *p) {
    for (int i = 0; i < block_count; i++)
        if (p == blocks[i].start || (p >= blocks[i].start && p < blocks[i].start + blocks[i].size)) return &blocks[i];
    return NULL;
}

static void do_find(void) {
    struct model_block *b = &blocks[any((uint32_t)block_count)];
    const unsigned char *p = b->start + any((uint32_t)b->size + 40) - 20;
    struct model_block *expected = model_find(p);
    void *base;
    size_t size;
    int tid, number;
    enum heap_state found = heap_find(p, &base, &size, &tid, &number);
    CHECK(found == (expected == NULL ? HEAP_NONE : expected->is_live ? HEAP_LIVE : HEAP_FREED));
    if (expected == NULL) return;
    CHECK(base == expected->start && size == expected->size && tid == expected->tid && number == expected->number);
    CHECK(heap_find(p, NULL, NULL, NULL, NULL) == found);
}

static void check_contents(void) {
    for (int i = 0; i < block_count; i++) CHECK(is_filled(&blocks[i], 0, blocks[i].size, blocks[i].fill));
}

static void run_model(void) {
    for (int execution = 0; execution < 20; execution++) {
        model_reset();
        do_alloc();
        int operations = (int)any(MAX_BLOCKS);
        for (int i = 0; i < operations; i++) {
            switch (any(8)) {
            case 0: do_free(); break;
            case 1: do_resize(); break;
            case 2: case 3: do_find(); break;
            default: if (block_count < MAX_BLOCKS) do_alloc();
            }
        }
        check_contents();
        CHECK(heap_live_bytes() == live);
    }
}

/* Two interleavings of the same allocations: the same addresses, in the same memory. */
static void run_interleavings(void) {
    enum { EACH = 50 };
    static void *first[TIDS][EACH];
    size_t sizes[TIDS][EACH];
    for (int t = 0; t < TIDS; t++)
        for (int i = 0; i < EACH; i++) sizes[t][i] = any_size();
    heap_reset();
    for (int t = 0; t < TIDS; t++)
        for (int i = 0; i < EACH; i++) first[t][i] = heap_alloc(t, sizes[t][i], 0);
    heap_reset();
    int done[TIDS] = {0};
    for (int i = 0; i < TIDS * EACH;) {
        int t = (int)any(TIDS);
        if (done[t] == EACH) continue;
        void *p = heap_alloc(t, sizes[t][done[t]], 0);
        CHECK(p != NULL && p == first[t][done[t]]);
        if (any(2)) CHECK(heap_free(p) == 0); /* frees do not move what comes after */
        done[t]++, i++;
    }
}

static int reused_count;
static size_t reused_size;

static void count_reused(void *base, size_t size) {
    CHECK(heap_contains(base));
    reused_count++;
    reused_size = size;
}

/* Memory that is allocated and freed for ever comes back, zeroed, only after a long time. */
static void run_reuse(size_t size) {
    size_t total = 0, first_reuse = 0;
    heap_reset();
    heap_reused = count_reused;
    reused_count = 0;
    while (total < (size_t)1536 << 20) {
        unsigned char *p = heap_alloc(1, size, 0);
        CHECK(p != NULL && p[0] == 0 && p[size - 1] == 0);
        p[0] = p[size - 1] = 1;
        CHECK(heap_find(p, NULL, NULL, NULL, NULL) == HEAP_LIVE);
        if (reused_count == 1 && first_reuse == 0) first_reuse = total;
        CHECK(heap_free(p) == 0);
        total += size;
    }
    CHECK(reused_count > 0 && reused_size > size);
    CHECK(first_reuse > (size_t)200 << 20);
    heap_reused = NULL;
    heap_reset();
}

/* Far more than a region holds, in blocks of several sizes of which a few are kept: nothing may get lost. */
static void run_mixed_reuse(void) {
    enum { KEPT = 100 };
    void *kept[KEPT] = {NULL};
    heap_reset();
    for (int i = 0; i < 20000; i++) {
        void **slot = &kept[any(KEPT)];
        if (*slot != NULL) CHECK(heap_free(*slot) == 0);
        *slot = heap_alloc(1, ((size_t)1 + any(3)) << 20, 0);
        CHECK(*slot != NULL && heap_find(*slot, NULL, NULL, NULL, NULL) == HEAP_LIVE);
        for (int other = 0; other < KEPT; other++) CHECK(&kept[other] == slot || kept[other] != *slot);
    }
}

/* The newest freed block is the one that fits, again and again. */
static void run_reuse_of_last(void) {
    heap_reset();
    CHECK(heap_free(heap_alloc(1, 150 << 20, 0)) == 0);
    void *last = heap_alloc(1, 160 << 20, 0);
    for (int i = 0; i < 20; i++) {
        CHECK(heap_free(last) == 0);
        CHECK(heap_alloc(1, 155 << 20, 0) == last);
    }
}

/* Only the owner's block may grow into the memory where the owner's next block would go. */
static void run_foreign_resize(void) {
    heap_reset();
    void *p = heap_alloc(1, 100, 0);
    CHECK(!heap_resize(2, p, 1000) && heap_resize(1, p, 1000) && heap_resize(2, p, 500));
}

static void run_exhaustion(void) {
    size_t got = 0;
    heap_reset();
    CHECK(heap_alloc(0, SIZE_MAX, 0) == NULL && heap_alloc(0, SIZE_MAX / 2, 0) == NULL);
    CHECK(heap_alloc(RP_MAX_THREADS, 1, 0) == NULL && heap_alloc(-1, 1, 0) == NULL);
    while (heap_alloc(2, 10 << 20, 0) != NULL) got += 10 << 20;
    CHECK(got > (size_t)900 << 20);
    while (heap_alloc(2, 100000, 0) != NULL) got += 100000;
    CHECK(heap_live_bytes() == got);
    CHECK(heap_alloc(3, 100000, 0) != NULL);
    heap_reset();
    CHECK(heap_live_bytes() == 0 && heap_find((void *)heap_begin, NULL, NULL, NULL, NULL) == HEAP_NONE);
}

/* Large blocks where small ones were in an execution before, and the other way round: zero all the same. */
static void run_overlap(void) {
    heap_reset();
    for (int i = 0; i < 5000; i++) memset(heap_alloc(0, 200000, 0), 0xaa, i % 100 == 0 ? 200000 : 1);
    for (int i = 0; i < 2; i++) {
        heap_reset();
        unsigned char *p;
        while ((p = heap_alloc(0, 16 << 20, 0)) != NULL)
            for (size_t at = 0; at < (size_t)16 << 20; at += 512) CHECK(p[at] == 0);
        heap_reset();
        for (int n = 0; n < 200; n++) {
            p = heap_alloc(0, 200000, 0);
            for (size_t at = 0; at < 200000; at++) CHECK(p[at] == 0);
            memset(p, 0xbb, 200000);
        }
    }
}

int main(int argc, char **argv) {
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
    heap_init();
    CHECK(!heap_contains(&seed) && !heap_contains(NULL) && heap_find(NULL, NULL, NULL, NULL, NULL) == HEAP_NONE);
    for (seed = 1; seed <= rounds; seed++) {
        state = seed * 0x9e3779b97f4a7c15u;
        run_model();
        run_interleavings();
    }
    run_reuse(3 << 20);
    run_reuse(100000);
    run_mixed_reuse();
    run_reuse_of_last();
    run_foreign_resize();
    run_exhaustion();
    run_overlap();
    printf("%p\n", (void *)heap_begin); /* the same in every run */
    return 0;
}
