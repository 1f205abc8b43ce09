// Striped locking where two functions disagree about the stripe of an element.
#include <pthread.h>

#define N 8
static pthread_mutex_t stripe[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                    PTHREAD_MUTEX_INITIALIZER};
static int cell[N];

static void *up(void *arg) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&stripe[i % 3]);
        cell[i]++;                              // race
        pthread_mutex_unlock(&stripe[i % 3]);
    }
    return arg;
}

static void *down(void *arg) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&stripe[i % 2]);
        cell[i]--;                              // race
        pthread_mutex_unlock(&stripe[i % 2]);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, up, NULL);
    pthread_create(&b, NULL, down, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cell[0];                             // no-race
}
