// Functions of libm lock nothing.
#include <math.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double angle;

static void *turn(void *arg) {
    angle = sin(angle + 1.0) + pow(angle, 1.5);  // race
    return arg;
}

int main(int argc, char **argv) {
    pthread_t thread;
    (void)argv;
    pthread_create(&thread, NULL, turn, NULL);
    pthread_mutex_lock(&lock);
    angle = cos(argc);                           // race
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return angle > 2.0;                          // no-race
}
