// A format in a table has %n: printf writes the variable, read under the same lock.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *formats[] = {"a%n", "bc%n"};
static int count, seen, which;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    printf(formats[which], &count);            // no-race alarm(explore): the format is not constant
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    seen = count;                              // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    which = 1;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
