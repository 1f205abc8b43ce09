// A handler writes the pointer as well, so main does not know what is there.
#include <pthread.h>
#include <stdlib.h>
#include <signal.h>

static int a, b;
static int *volatile place = &a;

static void on_signal(int number) {
    place = &b; // race missed(explore): signals are not sent
}

static void *work(void *arg) {
    b = 1; // race missed(explore): signals are not sent
    return place ? arg : NULL; // race missed(explore): signals are not sent
}

int main(void) {
    pthread_t t;
    place = &a;
    signal(SIGINT, on_signal);
    pthread_create(&t, NULL, work, NULL);
    *place = 2; // race missed(explore): signals are not sent
    pthread_join(t, NULL);
    return 0;
}
