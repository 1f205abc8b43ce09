// As borrowed_index, but the lock is given back between the look and the update; another thread takes bits, too.
#include <pthread.h>
#include <strings.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int is_free = 7, cell[N + 1];

static void *taker(void *arg) {
    pthread_mutex_lock(&m);
    int next = ffs(is_free) - 1;                 // no-race
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    is_free &= ~(1 << next);                     // no-race
    pthread_mutex_unlock(&m);
    cell[next] = 2;                              // race
    return arg;
}

static void *worker(void *arg) {
    int mine = (int)(long)arg;
    cell[mine] = 1;                              // race
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        pthread_t other;
        if (i == 0)
            pthread_create(&other, NULL, taker, NULL);
        pthread_mutex_lock(&m);
        int next = ffs(is_free) - 1;             // no-race
        is_free &= ~(1 << next);                 // no-race
        pthread_mutex_unlock(&m);
        pthread_create(&t[i], NULL, worker, (void *)(long)next);
        if (i == 0)
            pthread_join(other, NULL);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] == 1 ? 0 : 1;                 // no-race
}
