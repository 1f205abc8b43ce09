// qsort moves elements, and with them the pointers that are in them.
#include <pthread.h>
#include <stdlib.h>

static struct entry {
    int key;
    int *count;
} entries[3];
static int one, other;

static int compare(const void *a, const void *b) {
    return ((const struct entry *)a)->key - ((const struct entry *)b)->key;
}

static void *worker(void *arg) {
    *entries[0].count = 1;                      // race
    return arg;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 3; i++) {
        entries[i].key = 3 - i;
        entries[i].count = &other;
    }
    entries[2].count = &one;
    qsort(entries, 3, sizeof *entries, compare);
    pthread_create(&t, NULL, worker, NULL);
    one = 2;                                    // race
    pthread_join(t, NULL);
    return other;
}
