// Nobody reads the pipe: but the signal is ignored, and the write fails.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2], x;

static void *writes(void *p) {
    x = 1; // race
    return p;
}

static void *writes_to_pipe(void *p) {
    if (write(ends[1], "x", 1) < 0)
        x = 2; // race
    return p;
}

int main(void) {
    pthread_t a, b;
    signal(SIGPIPE, SIG_IGN);
    if (pipe(ends) != 0) return 1;
    close(ends[0]);
    pthread_create(&a, 0, writes, 0);
    pthread_create(&b, 0, writes_to_pipe, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
