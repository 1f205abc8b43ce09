// strtok_r keeps its place in a variable of the caller.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>

static void *worker(void *arg) {
    char mine[] = "a b c";
    char *place;
    int words = 0;
    for (char *p = strtok_r(mine, " ", &place); p; p = strtok_r(NULL, " ", &place))  // no-race
        words += p[0] != '\0';                  // no-race
    return words == 3 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
