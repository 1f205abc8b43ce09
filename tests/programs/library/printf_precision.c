// %.*s reads as many characters as its precision says: the byte behind them is another's.
#include <pthread.h>
#include <stdio.h>

static char shared[4] = {'a', 'b', 'c', 'd'};
static int length = 3;

static void *print(void *arg) {
    char buffer[20];
    snprintf(buffer, sizeof buffer, "%.*s", 3, shared);          // no-race
    snprintf(buffer, sizeof buffer, "%.*s", length, shared);     // no-race alarm(lockset): does not know the precision
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, print, NULL);
    shared[3] = 'z';                                            // no-race alarm(lockset): likewise
    pthread_join(a, NULL);
    return 0;
}
