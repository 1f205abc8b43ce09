// Pointers are copied from the middle of an array, which is a member of an element of another array.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    long size;
    int *slot[20];
} rows[20];
static struct {
    int *first, *second;
} pair;
static int one, other;

static void *worker(void *arg) {
    *pair.second = 1;                           // race
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    size_t count = argc > 1 ? (size_t)atoi(argv[1]) : 2;
    pair.second = &other;
    rows[0].slot[3] = &one;
    memcpy(&pair, &rows[0].slot[2], count * sizeof(int *));
    pthread_create(&t, NULL, worker, NULL);
    one = 2;                                    // race
    pthread_join(t, NULL);
    return other;
}
