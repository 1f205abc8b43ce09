// bsearch compares with strcmp, which reads what another thread writes.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char names[3][4] = {"a", "b", "c"};

typedef int (*comparison)(const void *, const void *);

static void *first(void *arg) {
    bsearch("b", names, 3, 4, (comparison)strcmp);  // race missed(explore): not observed
    return arg;
}

static void *second(void *arg) {
    names[1][0] = 'x';                         // race missed(explore): not observed
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
