// A thread writes only if it finds that another one has moved in a file which they share.
#include <pthread.h>
#include <stdio.h>

static FILE *file;
static int x;

static void *asks(void *arg) {
    if (ftell(file) == 1) x++;                  // race missed(explore): in which order they come to the file is not tried
    return arg;
}

static void *moves(void *arg) {
    fputc('a', file);
    return arg;
}

int main(void) {
    pthread_t a, b;
    file = tmpfile();
    pthread_create(&a, NULL, asks, NULL);
    pthread_create(&b, NULL, moves, NULL);
    x = 1;                                      // race missed(explore): the same
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    fclose(file);
    return 0;
}
