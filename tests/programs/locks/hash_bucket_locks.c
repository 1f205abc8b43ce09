// A hash table with one lock per bucket, inside the bucket.
#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 4
struct entry {
    int key, count;
    struct entry *next;
};
static struct bucket {
    pthread_mutex_t lock;
    struct entry *first;
} table[BUCKETS];

static void add(int key) {
    struct bucket *b = &table[key % BUCKETS];
    pthread_mutex_lock(&b->lock);
    struct entry *e = b->first;                 // no-race
    while (e != NULL && e->key != key)          // no-race
        e = e->next;                            // no-race
    if (e == NULL) {
        e = calloc(1, sizeof *e);
        e->key = key;                           // no-race
        e->next = b->first;                     // no-race
        b->first = e;                           // no-race
    }
    e->count++;                                 // no-race
    pthread_mutex_unlock(&b->lock);
}

static void *worker(void *arg) {
    for (int key = 0; key < 10; key++)
        add(key);
    return arg;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return table[0].first->count == 2 ? 0 : 1;  // no-race
}
