// A format in a table has %n: printf writes the variable that another thread reads.
#include <pthread.h>
#include <stdio.h>

static const char *formats[] = {"a%n", "bc%n"};
static int count, seen, which;

static void *first(void *arg) {
    printf(formats[which], &count);            // race missed(explore): the format is not constant
    return arg;
}

static void *second(void *arg) {
    seen = count;                              // race missed(explore): the format is not constant
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
