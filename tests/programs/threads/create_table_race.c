// Start functions in a table; two of them write the same variable.
#include <pthread.h>

static int a, b;

static void *first(void *arg) {
    a = 1;                                      // race
    return arg;
}

static void *second(void *arg) {
    b = 2;                                      // no-race alarm(lockset): any function of the table in every round
    return arg;
}

static void *third(void *arg) {
    a = 3;                                      // race
    return arg;
}

static void *(*const table[])(void *) = {first, second, third};

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, table[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return a + b > 2 ? 0 : 1;                   // no-race
}
