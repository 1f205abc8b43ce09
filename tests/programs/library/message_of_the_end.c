// A thread ends the program with a message, under the lock under which another one writes it.
#include <err.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char message[8] = "none";

static void *reporter(void *arg) {
    pthread_mutex_lock(&m);
    errx(1, "%s", message);                     // no-race
    return arg;
}

static void *writer(void *arg) {
    pthread_mutex_lock(&m);
    message[0] = 'o';                           // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reporter, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
