// locks[i] protects data[i], but one function changes data[1 - i] under locks[i].
#include <pthread.h>

#define N 2
static pthread_mutex_t locks[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int data[N];

static void *right(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&locks[i]);
    data[i]++;                                  // race
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

static void *wrong(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&locks[i]);
    data[1 - i]++;                              // race
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

int main(void) {
    pthread_t t[2 * N];
    for (long i = 0; i < N; i++) {
        pthread_create(&t[i], NULL, right, (void *)i);
        pthread_create(&t[N + i], NULL, wrong, (void *)i);
    }
    for (int i = 0; i < 2 * N; i++)
        pthread_join(t[i], NULL);
    return data[0] + data[1] == 4 ? 0 : 1;      // no-race
}
