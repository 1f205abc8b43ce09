// Numbers are sorted and printed.
// Whoever comes last has everything to itself: no lock is needed.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int done;
static int slots[2], sum;

static void *worker(void *arg) {
    int me = *(int *)arg;
    slots[me] = me + 1;                         // no-race alarm(lockset): a count says who is last
    if (atomic_fetch_add(&done, 1) == 1)
        sum = slots[0] + slots[1];              // no-race alarm(lockset): a count says who is last
    return NULL;
}

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    if (x != y)
        return x < y ? -1 : 1;
    return 0;
}

int main(void) {
    int found[3] = {2, 3, 1};
    qsort(found, 3, sizeof found[0], compare);
    pthread_t ids[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&ids[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    printf("%d: %d %d %d\n", sum, found[0], found[1], found[2]);
    return 0;
}
