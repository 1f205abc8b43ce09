// Each thread draws its index by an atomic update, however weak its memory order.
#include <pthread.h>
#include <stdatomic.h>

#define N 2
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int next;
static int cell[2 * N];

static void *worker(void *arg) {
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    cell[mine] = 1;                             // no-race
    return arg;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] + cell[1] <= 2 ? 0 : 1;      // no-race
}
