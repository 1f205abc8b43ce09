/* CPU-bound: four threads put words into a hash table with a lock for each bucket, and look them up. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define BUCKETS 4096

struct entry {
    struct entry *next;
    unsigned long key;
    int count;
};

struct bucket {
    pthread_mutex_t lock;
    struct entry *first;
};

static struct bucket table[BUCKETS];
static int rounds;

static unsigned long mix(unsigned long x) {
    x ^= x >> 31;
    x *= 0x7fb5d329728ea185ul;
    x ^= x >> 27;
    return x;
}

static void *work(void *argument) {
    unsigned long state = (unsigned long)argument * 977 + 1;
    for (int i = 0; i < rounds; i++) {
        state = mix(state + (unsigned long)i);
        unsigned long key = state % 20000;
        struct bucket *bucket = &table[mix(key) % BUCKETS];
        pthread_mutex_lock(&bucket->lock);
        struct entry *e = bucket->first;
        while (e != NULL && e->key != key) e = e->next;
        if (e == NULL) {
            e = malloc(sizeof *e);
            e->key = key;
            e->count = 0;
            e->next = bucket->first;
            bucket->first = e;
        }
        e->count++;
        pthread_mutex_unlock(&bucket->lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    rounds = argc > 1 ? atoi(argv[1]) : 200000;
    for (int i = 0; i < BUCKETS; i++) pthread_mutex_init(&table[i].lock, NULL);
    pthread_t threads[THREADS];
    for (unsigned long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    long total = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (struct entry *e = table[i].first; e != NULL; e = e->next) total += e->count;
    printf("%ld\n", total);
    return 0;
}
