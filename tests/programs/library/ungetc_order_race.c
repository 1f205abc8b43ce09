// A thread writes if it finds the input at its end, before another one has pushed a character back into it.
#include <pthread.h>
#include <stdio.h>

static int x;

static void *reads(void *arg) {
    if (getchar() == EOF) x++;                  // race missed(explore): in which order they come to stdin is not tried
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reads, NULL);
    ungetc('a', stdin);
    x = 1;                                      // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
