// As borrowed_index; main calls a function that has nothing to do with it before it hands over its number.
#include <pthread.h>
#include <strings.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int is_free = 7, cell[N + 1];

static long sum;

static void count(int number) {
    sum += number;                               // no-race
}

static void *worker(void *arg) {
    int mine = (int)(long)arg;
    cell[mine] = 1;                              // no-race
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
        count(next);
        pthread_create(&t[i], NULL, worker, (void *)(long)next);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] == 1 ? 0 : 1;                 // no-race
}
