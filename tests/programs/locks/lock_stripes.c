// Striped locking: element i is protected by stripe i % STRIPES.
#include <pthread.h>

#define STRIPES 2
#define N 8
static pthread_mutex_t stripe[STRIPES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int cell[N];

static void *worker(void *arg) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&stripe[i % STRIPES]);
        cell[i]++;                              // no-race
        pthread_mutex_unlock(&stripe[i % STRIPES]);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cell[0] == 2 ? 0 : 1;                // no-race
}
