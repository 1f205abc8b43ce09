// Each thread looks at the counter, and draws its index only if one is left: test and update are in two blocks.
#include <pthread.h>

#define N 4
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next, cell[N];

static void *worker(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        int mine = next;                        // no-race
        if (mine >= N) {
            pthread_mutex_unlock(&m);
            return arg;
        }
        next = mine + 1;                        // no-race
        pthread_mutex_unlock(&m);
        cell[mine] = 1;                         // no-race
    }
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return cell[0] == 1 ? 0 : 1;                // no-race
}
