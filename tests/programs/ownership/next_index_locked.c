// Each thread draws its index from a counter under a lock, then uses the element without it.
#include <pthread.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next, cell[N];

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int mine = next++;                          // no-race
    pthread_mutex_unlock(&m);
    cell[mine] = 1;                             // no-race
    return arg;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] + cell[1] + cell[2] == 3 ? 0 : 1;  // no-race
}
