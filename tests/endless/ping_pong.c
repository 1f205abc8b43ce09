/* Two players take turns by a condition. Racy: one looks at the ball without the lock. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#ifdef ENDLESS
#define ROUNDS for (;;)
#else
#define ROUNDS for (int round = 0; round < 2; round++)
#endif
#ifdef RACY
#define IF_RACY(a, b) a
#else
#define IF_RACY(a, b) b
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn, ball;
static void *player(void *me) {
    ROUNDS {
        pthread_mutex_lock(&m);
        while (turn != (me != 0)) pthread_cond_wait(&c, &m);
        turn = !turn;
        IF_RACY(pthread_mutex_unlock(&m);, )
        ball = !ball;
        IF_RACY(pthread_mutex_lock(&m);, )
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t ids[2];
    pthread_create(&ids[0], 0, player, 0);
    pthread_create(&ids[1], 0, player, &ball);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    return 0;
}
