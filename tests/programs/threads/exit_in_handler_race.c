// A signal handler ends the thread that it interrupts: who joins it goes on, though its function never returns.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int total;

static void quit(int number) {
    (void)number;
    pthread_exit(0);
}

static void *idle(void *unused) {
    for (;;)
        pause();
    return unused;
}

static void *adder(void *unused) {
    total++; // race
    return unused;
}

int main(void) {
    pthread_t first, second;
    signal(SIGUSR1, quit);
    pthread_create(&first, 0, idle, 0);
    pthread_kill(first, SIGUSR1);
    pthread_join(first, 0);
    pthread_create(&second, 0, adder, 0);
    total++; // race
    pthread_join(second, 0);
    return total;
}
