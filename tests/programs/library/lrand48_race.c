// lrand48 keeps its numbers where all threads find them, without a lock; no pointer of the program leads there.
#include <pthread.h>
#include <stdlib.h>

static void *draws(void *arg) {
    return lrand48() > 0 ? arg : NULL;          // race missed(explore): the library's own memory is not observed
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, draws, NULL);
    srand48(7);                                 // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
