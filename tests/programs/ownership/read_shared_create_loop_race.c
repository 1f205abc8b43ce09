// The initialisation is inside the loop that creates: later rounds write while earlier threads read.
#include <pthread.h>

#define N 3
static int limit;

static void *reader(void *arg) {
    return limit > 0 ? arg : NULL;              // race
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        limit = i + 1;                          // race
        pthread_create(&t[i], NULL, reader, NULL);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return limit == N ? 0 : 1;                  // no-race
}
