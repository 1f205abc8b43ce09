// Two numbers that were drawn lead to one element.
#include <pthread.h>

#define N 2
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next;
static int cell[2 * N];

static int draw(void) {
    pthread_mutex_lock(&m);
    int number = next;                          // no-race
    next++;                                     // no-race
    pthread_mutex_unlock(&m);
    return number;
}

static void *worker(void *arg) {
    int mine = draw();
    cell[mine / 2] = 1;                         // race
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
