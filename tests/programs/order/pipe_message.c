// A byte through a pipe says that the value is there.
#include <pthread.h>
#include <unistd.h>

static int ends[2], x;

static void *sends(void *p) {
    x = 1; // no-race alarm(lockset): pipes are not followed; alarm(explore): nor is the order of its calls tried
    (void)!write(ends[1], "x", 1);
    return p;
}

static void *receives(void *p) {
    char c;
    (void)!read(ends[0], &c, 1);
    x = 2; // no-race alarm(lockset): pipes are not followed
    return p;
}

int main(void) {
    pthread_t a, b;
    if (pipe(ends) != 0) return 1;
    pthread_create(&b, 0, receives, 0);
    pthread_create(&a, 0, sends, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
