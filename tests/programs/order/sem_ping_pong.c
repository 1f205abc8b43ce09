// Two semaphores pass one variable back and forth.
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int ball;

static void *player(void *arg) {
    for (int i = 0; i < 5; i++) {
        sem_wait(&ping);
        ball++;                                 // no-race alarm(lockset): the two semaphores hold one token together
        sem_post(&pong);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 1);
    pthread_create(&t, NULL, player, NULL);
    for (int i = 0; i < 5; i++) {
        sem_wait(&pong);
        ball++;                                 // no-race alarm(lockset): the two semaphores hold one token together
        sem_post(&ping);
    }
    pthread_join(t, NULL);
    return ball == 10 ? 0 : 1;                  // no-race
}
