// %.*s with a negative precision reads the whole string.
#include <pthread.h>
#include <stdio.h>

static char shared[] = "abc";
static int length = -1;

static void *print(void *arg) {
    char buffer[20];
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
