// From one arena one thread takes single cells, also when there is no room any more.
#include <pthread.h>

#define SIZE 4
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int singles, pairs;
static int cell[SIZE + 1];

static void *left(void *arg) {
    for (int round = 0; round < 3; round++) {
        int at = -1;
        pthread_mutex_lock(&m);
        if (singles + 2 * pairs <= SIZE)
            at = singles++;
        pthread_mutex_unlock(&m);
        if (at >= 0)
            cell[at] = 1;                       // race
    }
    return arg;
}

static void *right(void *arg) {
    int at = -1;
    pthread_mutex_lock(&m);
    if (singles + 2 * pairs + 2 <= SIZE) {
        pairs++;
        at = SIZE - 2 * pairs;
    }
    pthread_mutex_unlock(&m);
    if (at >= 0) {
        cell[at] = 2;                           // race
        cell[at + 1] = 3;                       // no-race alarm(lockset): there is room for both
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
