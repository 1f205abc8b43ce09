// A thread writes if nobody has come to the end of the input yet.
#include <pthread.h>
#include <stdio.h>

static int x;

static void *asks(void *arg) {
    if (!feof(stdin)) x++;                      // race missed(explore): in which order they come to stdin is not tried
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, asks, NULL);
    while (getchar() != EOF) continue;
    x = 1;                                      // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
