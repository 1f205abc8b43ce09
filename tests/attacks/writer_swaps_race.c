// Two pointers are swapped by main; each thread takes one of them to be its own.
#include <pthread.h>
#include <stdlib.h>

static int numbers[2];
static int *left = &numbers[0], *right = &numbers[1];

static void *first(void *arg) {
    *left = 1; // race
    return arg;
}

static void *second(void *arg) {
    *right = 1; // race
    return arg;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    int *before = left;
    left = right; // race
    right = before; // no-race
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
