// %.*s reads as many characters as its precision says: one of them is written.
#include <pthread.h>
#include <stdio.h>

static char shared[4] = {'a', 'b', 'c', 'd'};
static int length = 3;

static void *print(void *arg) {
    char buffer[20];
    snprintf(buffer, sizeof buffer, "%.*s", 3, shared);          // race
    snprintf(buffer, sizeof buffer, "%.*s", length, shared);     // race
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, print, NULL);
    shared[2] = 'z';                                            // race
    pthread_join(a, NULL);
    return 0;
}
