// Rows of a matrix: the same row in both threads.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static char rows[4][16];
static int n;

static void *first(void *arg) {
    strcpy(rows[n], "first"); // race
    return NULL;
}

static void *second(void *arg) {
    strcpy(rows[n], "second"); // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
