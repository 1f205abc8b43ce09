// A thread writes if characters have one byte each, before another one has set a locale in which they have more.
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *measures(void *arg) {
    if (MB_CUR_MAX == 1) x++;                   // race missed(explore): in which order they come is not tried
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, measures, NULL);
    setlocale(LC_CTYPE, "C.UTF-8");
    x = 1;                                      // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
