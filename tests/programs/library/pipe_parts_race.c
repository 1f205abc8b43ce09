// A number and a pointer are written to a pipe one after the other, and read as one message.
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int one, other;

static void *worker(void *arg) {
    struct {
        long kind;
        int *count;
    } message = {0, &other};
    if (read(ends[0], &message, sizeof message) != sizeof message)
        return NULL;
    *message.count = 1;                         // race
    return arg;
}

int main(void) {
    pthread_t t;
    long kind = 1;
    int *count = &one;
    if (pipe(ends) || write(ends[1], &kind, sizeof kind) < 0 || write(ends[1], &count, sizeof count) < 0)
        return 1;
    pthread_create(&t, NULL, worker, NULL);
    one = 2;                                    // race
    pthread_join(t, NULL);
    return other;
}
