// bsearch compares with strcmp, under the lock of who writes there.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char names[3][4] = {"a", "b", "c"};

typedef int (*comparison)(const void *, const void *);

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    bsearch("b", names, 3, 4, (comparison)strcmp);  // no-race alarm(explore): not observed
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    names[1][0] = 'x';                         // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
