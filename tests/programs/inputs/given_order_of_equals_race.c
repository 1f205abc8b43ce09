// Which of two equal elements comes first is for the library to choose.
// Whoever comes last has everything to itself, but with some inputs the first one does not wait for that.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int done;
static int slots[2], sum, hurry;

static void *worker(void *arg) {
    int me = *(int *)arg;
    slots[me] = me + 1;                         // race missed(explore): needs another input
    if (atomic_fetch_add(&done, 1) == 1 || hurry)
        sum = slots[0] + slots[1];              // race missed(explore): needs another input
    return NULL;
}

struct entry {
    int key, value;
};

static int compare(const void *a, const void *b) {
    return ((const struct entry *)a)->key - ((const struct entry *)b)->key;
}

int main(void) {
    struct entry entries[3] = {{1, 1}, {1, 2}, {0, 3}};
    qsort(entries, 3, sizeof entries[0], compare);
    hurry = entries[1].value == 2;
    pthread_t ids[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&ids[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
