// A pointer passed through variadic arguments, written without a lock.
#include <pthread.h>
#include <stdarg.h>

static int x, y;

static void clear_all(int count, ...) {
    va_list args;
    va_start(args, count);
    for (int i = 0; i < count; i++)
        *va_arg(args, int *) = 0;               // race
    va_end(args);
}

static void *worker(void *arg) {
    clear_all(2, &x, &y);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    y = 1;                                      // race
    pthread_join(t, NULL);
    return x + y <= 1 ? 0 : 1;                  // no-race
}
