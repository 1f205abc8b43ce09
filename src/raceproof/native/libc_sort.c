/* libc_sort.c: qsort (talks to raceproof.explore; see libc.h).
 *
 * The real one takes memory from the real heap, which is lost when an execution ends within a comparison. This one is
 * a stable merge sort as glibc's, for which many programs were written without knowing.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"

#include <string.h>

typedef int compare_function(const void *, const void *);
typedef int compare_with(const void *, const void *, void *);

struct sort {
    size_t size;
    char *room; /* for half of the elements */
    compare_function *compare;
    compare_with *compare_with; /* if not null, instead of `compare` */
    void *argument;
};

enum { ROOM_ON_STACK = 1024 };

static int is_greater(const struct sort *sort, const char *a, const char *b) {
    return (sort->compare_with ? sort->compare_with(a, b, sort->argument) : sort->compare(a, b)) > 0;
}

static void merge(const struct sort *sort, char *elements, size_t left, size_t count) {
    size_t size = sort->size;
    char *to = elements, *b = elements + left * size, *end = elements + count * size;
    char *a = sort->room, *end_of_a = a + left * size;
    memcpy(a, elements, left * size);
    while (a < end_of_a && b < end) {
        char **taken = is_greater(sort, a, b) ? &b : &a;
        memcpy(to, *taken, size);
        *taken += size;
        to += size;
    }
    memcpy(to, a, (size_t)(end_of_a - a)); /* what is left of b is in its place */
}

static void merge_sort(const struct sort *sort, char *elements, size_t count) {
    if (count < 2) return;
    size_t left = count / 2;
    merge_sort(sort, elements, left);
    merge_sort(sort, elements + left * sort->size, count - left);
    merge(sort, elements, left, count);
}

static void sort_elements(struct sort *sort, void *elements, size_t count) {
    char on_stack[ROOM_ON_STACK];
    size_t needed;
    if (count < 2 || sort->size == 0 || __builtin_mul_overflow(count / 2, sort->size, &needed)) return;
    sort->room = needed <= sizeof on_stack ? on_stack : libc_alloc(needed, 0);
    if (sort->room == NULL) return; /* libc_alloc has said so */
    merge_sort(sort, elements, count);
    if (sort->room != on_stack) (void)heap_free(sort->room);
}

RP_LIB void rp_lib_qsort(void *elements, size_t count, size_t size, compare_function *compare) {
    struct sort sort = {size, NULL, compare, NULL, NULL};
    sort_elements(&sort, elements, count);
}

#ifndef __APPLE__ /* where the arguments have another order */
RP_LIB void rp_lib_qsort_r(void *elements, size_t count, size_t size, compare_with *compare, void *argument) {
    struct sort sort = {size, NULL, NULL, compare, argument};
    sort_elements(&sort, elements, count);
}
#endif
