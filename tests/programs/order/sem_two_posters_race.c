// Two threads post once each, main waits once only and reads what both wrote.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int x, y;

static void *writes_x(void *arg) {
    x = 1;                                      // race
    sem_post(&done);
    return arg;
}

static void *writes_y(void *arg) {
    y = 1;                                      // race
    sem_post(&done);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&done, 0, 0);
    pthread_create(&a, NULL, writes_x, NULL);
    pthread_create(&b, NULL, writes_y, NULL);
    sem_wait(&done);
    int sum = x + y;                            // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum >= 1 ? 0 : 1;
}
