// Functions of libm have no state of their own.
#include <math.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double angle;

static void *turn(void *arg) {
    pthread_mutex_lock(&lock);
    angle = sin(angle + 1.0) + pow(angle, 1.5);  // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t thread;
    (void)argv;
    pthread_create(&thread, NULL, turn, NULL);
    pthread_mutex_lock(&lock);
    angle = cos(argc);                           // no-race
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return angle > 2.0;                          // no-race
}
