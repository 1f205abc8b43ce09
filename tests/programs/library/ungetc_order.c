// A thread writes if it finds the input at its end, but a character was pushed back before there was a thread.
#include <pthread.h>
#include <stdio.h>

static int x;

static void *reads(void *arg) {
    if (getchar() == EOF) x++;                  // no-race alarm(lockset): what the thread reads decides
    return arg;
}

int main(void) {
    pthread_t t;
    ungetc('a', stdin);
    pthread_create(&t, NULL, reads, NULL);
    x = 1;                                      // no-race alarm(lockset): the same
    pthread_join(t, NULL);
    return 0;
}
