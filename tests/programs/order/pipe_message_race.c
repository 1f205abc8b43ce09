// The value is written behind the byte that says that it is there.
#include <pthread.h>
#include <unistd.h>

static int ends[2], x;

static void *sends(void *p) {
    (void)!write(ends[1], "x", 1);
    x = 1; // race
    return p;
}

static void *receives(void *p) {
    char c;
    (void)!read(ends[0], &c, 1);
    x = 2; // race
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
