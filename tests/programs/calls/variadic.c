// A variadic function adds to shared variables under a lock.
#include <pthread.h>
#include <stdarg.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void add_all(int count, ...) {
    va_list args;
    va_start(args, count);
    pthread_mutex_lock(&m);
    for (int i = 0; i < count; i++)
        *va_arg(args, int *) += 1;              // no-race
    pthread_mutex_unlock(&m);
    va_end(args);
}

static void *worker(void *arg) {
    add_all(2, &x, &y);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x + y == 4 ? 0 : 1;                  // no-race
}
