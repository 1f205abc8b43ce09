// A signal handler interrupts the wait at a semaphore, which returns without having waited: nobody looks.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static sem_t ready;
static int value;

static void handler(int number) { (void)number; }

static void *giver(void *arg) {
    value = 1;                                  // race missed(explore): handlers are not run at any time
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
    sem_wait(&ready);
    value = 2;                                  // race missed(explore): see above
    pthread_join(t, NULL);
    return 0;
}
