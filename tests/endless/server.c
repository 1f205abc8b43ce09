/* A server answers one request at a time. Racy: the client reads the answer before it is there. */
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
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static int request, answer;
static void *server(void *unused) {
    ROUNDS {
        pthread_mutex_lock(&m);
        while (!request) pthread_cond_wait(&asked, &m);
        answer = !answer;
        request = 0;
        pthread_cond_signal(&answered);
        pthread_mutex_unlock(&m);
    }
    return unused;
}
static void *client(void *unused) {
    ROUNDS {
        pthread_mutex_lock(&m);
        request = 1;
        pthread_cond_signal(&asked);
        IF_RACY(pthread_mutex_unlock(&m);, )
        int early = IF_RACY(answer, 0);
        IF_RACY(pthread_mutex_lock(&m);, )
        while (request) pthread_cond_wait(&answered, &m);
        int seen = answer;
        pthread_mutex_unlock(&m);
        (void)seen;
        (void)early;
    }
    return unused;
}
int main(void) {
    pthread_t ids[2];
    pthread_create(&ids[0], 0, server, 0);
    pthread_create(&ids[1], 0, client, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    return 0;
}
