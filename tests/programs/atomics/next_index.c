// Each thread draws its own index by an atomic increment.
#include <pthread.h>
#include <stdatomic.h>

#define N 3
static atomic_int next;
static int cell[N];

static void *worker(void *arg) {
    int mine = atomic_fetch_add(&next, 1);      // no-race
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
