// The index is read once, before the loop that counts on: from the second round on it is an old one.
#include <pthread.h>

#define N 4
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next, cell[2 * N];

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int mine = next;                            // no-race
    for (int i = 0; i < 2; i++) {
        next = next + 1;                        // no-race
        pthread_mutex_unlock(&m);
        cell[mine] = 1;                         // race
        pthread_mutex_lock(&m);
        mine = 0;
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return cell[0] == 1 ? 0 : 1;                // no-race
}
