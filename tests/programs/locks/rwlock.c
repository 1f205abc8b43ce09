// Readers under the read lock, a writer under the write lock.
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int table[4];

static void *reader(void *arg) {
    int sum = 0;
    pthread_rwlock_rdlock(&rw);
    for (int i = 0; i < 4; i++)
        sum += table[i];                        // no-race
    pthread_rwlock_unlock(&rw);
    return sum >= 0 ? arg : NULL;
}

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&rw);
    for (int i = 0; i < 4; i++)
        table[i] = i;                           // no-race
    pthread_rwlock_unlock(&rw);
    return arg;
}

int main(void) {
    pthread_t r1, r2, w;
    pthread_create(&r1, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r2, NULL, reader, NULL);
    pthread_join(r1, NULL);
    pthread_join(w, NULL);
    pthread_join(r2, NULL);
    return table[3] == 3 ? 0 : 1;               // no-race
}
