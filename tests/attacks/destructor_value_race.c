// The destructor runs at the end of the program, while a detached thread goes on.
#include <pthread.h>

static int go, x;

__attribute__((destructor)) static void finish(void) {
    go = 1; // race
}

static void *other(void *arg) {
    if (go) // race
        x = 1; // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, other, NULL);
    pthread_create(&b, NULL, other, NULL);
    return 0;
}
