// Two posts, one wait: one of the writers may not be done.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int left, right;

static void *one(void *arg) {
    left = 1;                                   // race
    sem_post(&done);
    return arg;
}

static void *two(void *arg) {
    right = 2;                                  // race
    sem_post(&done);
    return arg;
}

int main(void) {
    pthread_t a, b;
    int sum;
    sem_init(&done, 0, 0);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    sem_wait(&done);
    sum = left + right;                         // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum >= 0 ? 0 : 1;
}
