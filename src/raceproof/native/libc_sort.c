/* libc_sort.c: qsort (talks to raceproof.explore; see libc.h).
 *
 * The real one takes memory from the real heap, which is lost when an execution ends within a comparison. This one is
 * a stable merge sort as glibc's, for which many programs were written without knowing. The elements stay where they are
 * until it is known where they belong: what the array holds is read by the comparisons alone, which are steps, and
 * written in a last step, so that the search sees the order of all that with what other threads do.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"

#include <string.h>

typedef int compare_function(const void *, const void *);
typedef int compare_with(const void *, const void *, void *);

struct sort {
    char **room; /* for half of the elements */
    compare_function *compare;
    compare_with *compare_with; /* if not null, instead of `compare` */
    void *argument;
};

enum { ROOM_ON_STACK = 1024 };

static int is_greater(const struct sort *sort, const char *a, const char *b) {
    return (sort->compare_with ? sort->compare_with(a, b, sort->argument) : sort->compare(a, b)) > 0;
}

static void merge(const struct sort *sort, char **elements, size_t left, size_t count) {
    char **to = elements, **b = elements + left, **end = elements + count;
    char **a = sort->room, **end_of_a = a + left;
    memcpy(a, elements, left * sizeof *a);
    while (a < end_of_a && b < end) *to++ = is_greater(sort, *a, *b) ? *b++ : *a++;
    memcpy(to, a, (size_t)(end_of_a - a) * sizeof *a); /* what is left of b is in its place */
}

static void merge_sort(const struct sort *sort, char **elements, size_t count) {
    if (count < 2) return;
    size_t left = count / 2;
    merge_sort(sort, elements, left);
    merge_sort(sort, elements + left, count - left);
    merge(sort, elements, left, count);
}

static void sort_elements(struct sort *sort, char *elements, size_t count, size_t size) {
    char *on_stack[ROOM_ON_STACK / sizeof(char *)];
    size_t needed, each;
    if (count < 2 || size == 0 || __builtin_add_overflow(size, 2 * sizeof(char *), &each) ||
        __builtin_mul_overflow(count, each, &needed))
        return;
    uint32_t access = rp_written(elements, count * size);
    char **order = needed <= sizeof on_stack ? on_stack : libc_alloc(needed, 0);
    if (order == NULL) return; /* libc_alloc has said so */
    sort->room = order + count;
    for (size_t i = 0; i < count; i++) order[i] = elements + i * size;
    merge_sort(sort, order, count);
    if (access != RP_NO_ACCESS) rp_write_range(elements, access, count * size);
    char *sorted = (char *)(sort->room + count);
    for (size_t i = 0; i < count; i++) memcpy(sorted + i * size, order[i], size);
    memcpy(elements, sorted, count * size);
    if (order != on_stack) (void)heap_free(order);
}

RP_LIB void rp_lib_qsort(void *elements, size_t count, size_t size, compare_function *compare) {
    struct sort sort = {NULL, compare, NULL, NULL};
    sort_elements(&sort, elements, count, size);
}

#ifndef __APPLE__ /* where the arguments have another order */
RP_LIB void rp_lib_qsort_r(void *elements, size_t count, size_t size, compare_with *compare, void *argument) {
    struct sort sort = {NULL, NULL, compare, argument};
    sort_elements(&sort, elements, count, size);
}
#endif
