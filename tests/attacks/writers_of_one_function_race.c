// Only one function writes the pointer, but two threads run it.
#include <pthread.h>
#include <stdlib.h>

static int numbers[2];
static int *place;

static void *work(void *arg) {
    place = arg; // race
    *place += 1; // race
    return NULL;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, NULL, work, &numbers[0]);
    pthread_create(&t, NULL, work, &numbers[1]);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
