// Each thread is meant to find its own element by a variable that main sets before it creates it.
#include <pthread.h>
#include <stdlib.h>

static int numbers[4];
static int *mine;

static void *work(void *arg) {
    int *found = mine; // race
    *found += 1; // race
    return arg;
}

int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) {
        mine = &numbers[i]; // race
        pthread_create(&t[i], NULL, work, NULL);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
