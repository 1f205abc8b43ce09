// Both semaphores start at one: the two players move at the same time.
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int ball;

static void *player(void *arg) {
    for (int i = 0; i < 5; i++) {
        sem_wait(&ping);
        ball++;                                 // race
        sem_post(&pong);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 1);
    pthread_create(&t, NULL, player, NULL);
    for (int i = 0; i < 5; i++) {
        sem_wait(&pong);
        ball++;                                 // race
        sem_post(&ping);
    }
    pthread_join(t, NULL);
    return ball <= 10 ? 0 : 1;                  // no-race
}
