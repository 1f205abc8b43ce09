// As borrowed_index, but a thread is given another number than the one that main has taken.
#include <pthread.h>
#include <strings.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int is_free = 7, cell[N + 1];

static void *worker(void *arg) {
    int mine = (int)(long)arg;
    cell[mine] = 1;                              // race
    pthread_mutex_lock(&m);
    is_free |= 1 << mine;                        // no-race
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        int next = ffs(is_free) - 1;             // no-race
        is_free &= ~(1 << next);                 // no-race
        pthread_mutex_unlock(&m);
        pthread_create(&t[i], NULL, worker, (void *)(long)(next / 2));
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] == 1 ? 0 : 1;                 // no-race
}
