// Two threads make the same semaphore, and only one can be the first: the other one writes.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static int x;

static void *first(void *arg) {
    if (sem_open("/raceproof-test", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED)
        x++;                                    // race missed(explore): in which order they come is not tried
    return arg;
}

static void *second(void *arg) {
    sem_open("/raceproof-test", O_CREAT | O_EXCL, 0600, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    x = 1;                                      // race missed(explore): the same
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_unlink("/raceproof-test");
    return 0;
}
