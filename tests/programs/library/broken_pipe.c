// Nobody reads the pipe: the write ends the program, and does not return.
#include <pthread.h>
#include <unistd.h>

static int ends[2], x;

static void *writes(void *p) {
    x = 1; // no-race alarm(lockset): values decide; alarm(explore): the end by a signal is not the program's own
    return p;
}

static void *writes_to_pipe(void *p) {
    if (write(ends[1], "x", 1) < 0)
        x = 2; // no-race alarm(lockset): values decide
    return p;
}

int main(void) {
    pthread_t a, b;
    if (pipe(ends) != 0) return 1;
    close(ends[0]);
    pthread_create(&a, 0, writes, 0);
    pthread_create(&b, 0, writes_to_pipe, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
