// The reader of a window tells how far it has read; the writer overwrites only what lies behind the reader.
#include <pthread.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;
static int cell[N] = {1, 2, 3};

static void *reader(void *arg) {
    int sum = 0;
    for (int i = 0; i < N; i++) {
        sum += cell[i];                         // no-race alarm(lockset): only what has been read is overwritten
        pthread_mutex_lock(&m);
        done++;
        pthread_mutex_unlock(&m);
    }
    return sum == 6 ? arg : NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        int behind = i < done;
        pthread_mutex_unlock(&m);
        if (behind)
            cell[i] = 0;                        // no-race alarm(lockset): only what has been read is overwritten
    }
    pthread_join(t, NULL);
    return 0;
}
