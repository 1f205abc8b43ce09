// One allocation holds a header, and behind it entries of another type: an array in these is none in the header.
#include <pthread.h>
#include <stdlib.h>

struct header {
    int used, size;
    char tag[8];
};
struct entry {
    int value[4];
};

static struct entry *entries;

static void *worker(void *arg) {
    int *middle = &entries[0].value[2];
    middle[-1] = 1;                             // race
    return arg;
}

int main(void) {
    pthread_t t;
    struct header *header = malloc(sizeof(struct header) + 4 * sizeof(struct entry));
    if (!header)
        return 1;
    header->size = 4;
    entries = (struct entry *)(header + 1);
    pthread_create(&t, NULL, worker, NULL);
    entries[0].value[1] = 2;                    // race
    pthread_join(t, NULL);
    free(header);
    return 0;
}
