// A cache with a few locks, which are chosen by another part of the key than the bucket is. Races: two keys that meet
// in a bucket under different locks, such as 20 for put and 100 for get.
#include <pthread.h>

#ifndef SIZE
#define SIZE 1
#endif

extern unsigned char __VERIFIER_nondet_uchar(void);

enum { BUCKETS = 8, LOCKS = 4 };

struct entry {
    unsigned key;
    unsigned value;
};

static pthread_mutex_t locks[LOCKS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER
};
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry table[BUCKETS];
static unsigned hits, misses, stored, history[4];

static void note(unsigned *counter, unsigned what) {
    pthread_mutex_lock(&stats_lock);
    history[(hits + misses + stored) % 4] = what;
    ++*counter;
    pthread_mutex_unlock(&stats_lock);
}

static unsigned hash(unsigned key) {
    return key * 5 + 3;
}

static pthread_mutex_t *lock_of(unsigned key) {
    return &locks[key / 8 % LOCKS];
}

static void put(unsigned key, unsigned value) {
    pthread_mutex_t *lock = lock_of(key);
    pthread_mutex_lock(lock);
    struct entry *entry = &table[hash(key) % BUCKETS];
    entry->key = key;
    entry->value = value;
    pthread_mutex_unlock(lock);
    note(&stored, key);
}

static unsigned get(unsigned key) {
    pthread_mutex_t *lock = lock_of(key);
    unsigned value = 0;
    pthread_mutex_lock(lock);
    const struct entry *entry = &table[hash(key) % BUCKETS];
    int is_hit = entry->key == key;
    if (is_hit)
        value = entry->value;
    pthread_mutex_unlock(lock);
    note(is_hit ? &hits : &misses, key);
    return value;
}

static void *writer(void *arg) {
    unsigned key = __VERIFIER_nondet_uchar();
    if (key >= 16 && key < 24)
        put(key, key * key);
    return arg;
}

static void *reader(void *arg) {
    unsigned key = __VERIFIER_nondet_uchar();
    unsigned sum = 0;
    if (key >= 100 && key < 104)
        sum = get(key);
    for (int i = 0; i < 3; i++)
        sum = sum * 7 + (unsigned)i;
    return sum == 1 ? NULL : arg;
}

static void *auditor(void *arg) {
    for (unsigned i = 0; i < 2 * SIZE; i++)
        note(&misses, i * 3);
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_create(&c, NULL, auditor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return (int)(hits + misses + stored);
}
