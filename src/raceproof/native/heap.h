/* heap.h: the heap of the program under test. Internal to the runtime of raceproof.explore.
 *
 * One region of address space per thread of the program. A block's address depends only on the thread and on what
 * that thread has allocated before, never on the schedule, so that a replay and every equivalent execution see the
 * same addresses. Freed memory is not handed out again within an execution (until a region has a lot of it), so that
 * a use after free stays visible. All book-keeping is outside the blocks: a program that writes past their ends
 * cannot damage it.
 */
#ifndef RACEPROOF_HEAP_H
#define RACEPROOF_HEAP_H

#include <stddef.h>
#include <stdint.h>

#ifndef RP_MAX_THREADS
#define RP_MAX_THREADS 64
#endif

enum heap_state { HEAP_NONE = 0, HEAP_LIVE = 1, HEAP_FREED = 2 };

/* The address space of all regions; constant after heap_init. */
extern uintptr_t heap_begin, heap_end;

static inline int heap_contains(const void *p) { return (uintptr_t)p - heap_begin < heap_end - heap_begin; }

/* Reserve the address space, at the same address in every run wherever the system allows it. Ends the process with a
 * message if there is none. */
void heap_init(void);

/* Forget all blocks, before each execution: no system call unless the execution used blocks over 256 KB or very much
 * memory. */
void heap_reset(void);

/* A block of zeroed memory for thread `tid`; `align` is a power of two or 0. NULL if the region is exhausted. */
void *heap_alloc(int tid, size_t size, size_t align);

/* Give the live block that starts at p another size where it is: 1 if done, 0 if it has to move. Grows into fresh
 * memory only for the thread that allocated the block, because it changes where that thread's next block goes. */
int heap_resize(int tid, void *p, size_t size);

/* The block that p points into; results that are not wanted may be null. `number` counts the allocations of thread
 * `owner_tid` in this execution, from 1. */
enum heap_state heap_find(const void *p, void **base, size_t *size, int *owner_tid, int *number);

/* 0: freed; 1: was freed before; 2: no block starts here. */
int heap_free(void *p);

size_t heap_live_bytes(void);

/* If set, called when freed memory is handed out again in the same execution: by C11 7.22.3 the earlier free
 * happens before this allocation, and accesses to the old block are over. */
extern void (*heap_reused)(void *base, size_t size);

/* If set, called for each block that is handed out. */
extern void (*heap_made)(int owner_tid, uint32_t number, size_t size);

/* Freed memory is given out again as soon as it fits, the lowest first, and there are no blocks over 256 KB: for programs
 * whose states are told (states.h). */
extern int heap_compacts;

#endif
