// A hash table with a lock per bucket; the reader computes bucket and lock differently.
#include <pthread.h>

#define BUCKETS 4
static struct bucket {
    pthread_mutex_t lock;
    int count;
} table[BUCKETS];

static void add(int key) {
    struct bucket *b = &table[key % BUCKETS];
    pthread_mutex_lock(&b->lock);
    b->count++;                                 // race
    pthread_mutex_unlock(&b->lock);
}

static int look(int key) {
    pthread_mutex_lock(&table[(key + 1) % BUCKETS].lock);
    int n = table[key % BUCKETS].count;         // race
    pthread_mutex_unlock(&table[(key + 1) % BUCKETS].lock);
    return n;
}

static void *adder(void *arg) {
    for (int key = 0; key < 8; key++)
        add(key);
    return arg;
}

int main(void) {
    pthread_t a;
    int sum = 0;
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    pthread_create(&a, NULL, adder, NULL);
    for (int key = 0; key < 8; key++)
        sum += look(key);
    pthread_join(a, NULL);
    return sum >= 0 ? 0 : 1;
}
