// A signal handler may interrupt the wait at a semaphore: it waits again.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static sem_t ready;
static int value;

static void handler(int number) { (void)number; }

static void *giver(void *arg) {
    value = 1;                                  // no-race alarm(explore): handlers are not run at any time
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, NULL);
    sem_init(&ready, 0, 0);
    alarm(1);
    pthread_create(&t, NULL, giver, NULL);
    while (sem_wait(&ready) != 0)
        ;
    value = 2;                                  // no-race
    pthread_join(t, NULL);
    return 0;
}
