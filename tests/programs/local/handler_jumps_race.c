// A handler jumps out of whatever its thread is doing: the lock has been given back, or not.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf back;
static int x, y;

static void on_signal(int number) {
    siglongjmp(back, number);
}

static void *other(void *arg) {
    pthread_mutex_lock(&m);
    x++; // race missed(explore): signals are not sent
    y++; // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a;
    if (sigsetjmp(back, 1)) {
        x++; // race missed(explore): signals are not sent
        return 0;
    }
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    signal(SIGUSR1, on_signal);
    pthread_create(&a, NULL, other, NULL);
    pthread_mutex_lock(&m);
    y++; // no-race
    pthread_mutex_unlock(&m);
    pause();
    return 0;
}
