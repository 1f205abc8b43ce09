// mblen keeps a state of its own, which it need not guard (C11 7.22.7.1), whatever it is given.
#include <pthread.h>
#include <stdlib.h>

static void *measures(void *arg) {
    return mblen("a", 1) == 1 ? arg : NULL;     // race missed(explore): the library's own memory is not observed
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, measures, NULL);
    int length = mblen("b", 1);                 // race missed(explore): the same
    pthread_join(t, NULL);
    return length != 1;
}
