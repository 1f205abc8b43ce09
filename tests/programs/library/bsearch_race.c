// bsearch finds an element of a shared table, and each finder marks it there.
#include <pthread.h>
#include <stdlib.h>

static struct entry {
    int key, hits;
} entries[3] = {{1, 0}, {5, 0}, {9, 0}};

static int compare(const void *p, const void *q) {
    return *(const int *)p - ((const struct entry *)q)->key;  // no-race
}

static void *finder(void *arg) {
    int key = 5;
    struct entry *found = bsearch(&key, entries, 3, sizeof entries[0], compare);
    if (found != NULL)
        found->hits++;                          // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, finder, NULL);
    pthread_create(&b, NULL, finder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return entries[1].hits <= 2 ? 0 : 1;        // no-race
}
