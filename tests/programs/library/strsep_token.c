// A token of strsep and the string behind it, both used under one lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[] = "ab,cd,ef";
static char *token;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    token[0] = 'x';                            // no-race alarm(explore): what strsep touches is not observed
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    text[3] = 'y';                             // no-race
    pthread_mutex_unlock(&m);
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
