// A thread writes if no alarm was set, before another one has set it.
#include <pthread.h>
#include <unistd.h>

static int x;

static void *cancels(void *arg) {
    if (alarm(0) == 0) x++;                     // race missed(explore): in which order they come is not tried
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, cancels, NULL);
    alarm(1000);
    x = 1;                                      // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
