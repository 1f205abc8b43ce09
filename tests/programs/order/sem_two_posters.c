// Two threads post once each, main waits twice before it reads what both wrote.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int x, y;

static void *writes_x(void *arg) {
    x = 1;                                      // no-race alarm(lockset): two waits for two posts, by counting
    sem_post(&done);
    return arg;
}

static void *writes_y(void *arg) {
    y = 1;                                      // no-race alarm(lockset): two waits for two posts, by counting
    sem_post(&done);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&done, 0, 0);
    pthread_create(&a, NULL, writes_x, NULL);
    pthread_create(&b, NULL, writes_y, NULL);
    sem_wait(&done);
    sem_wait(&done);
    int sum = x + y;                            // no-race alarm(lockset): two waits for two posts, by counting
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum == 2 ? 0 : 1;
}
