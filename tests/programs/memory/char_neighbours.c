// Neighbouring bytes are different memory locations.
#include <pthread.h>

static char text[4];

static void *worker(void *arg) {
    text[(long)arg] = 'x';                      // no-race
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    text[3] = 'y';                              // no-race
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return text[0] == 'x' ? 0 : 1;              // no-race
}
