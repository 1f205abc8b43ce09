// A token of strsep points into the string behind the first one, where another thread writes.
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static char text[] = "ab,cd,ef";
static char *token;

static void *first(void *arg) {
    token[0] = 'x';                            // race
    return arg;
}

static void *second(void *arg) {
    text[3] = 'y';                             // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    char *rest = text;
    strsep(&rest, ",");
    token = strsep(&rest, ",");
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
