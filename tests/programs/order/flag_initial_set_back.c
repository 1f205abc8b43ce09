// A flag that starts with 256 is set by the sender, and set back as a whole by another thread.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static union {
    int flag;
    char bytes[4];
} u = {256};
static int x;

static void *sender(void *arg) {
    x = 1;                                      // no-race
    pthread_mutex_lock(&m);
    u.flag = 7;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *other(void *arg) {
    pthread_mutex_lock(&m);
    u.flag = 256;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_mutex_lock(&m);
    int found = u.flag;
    pthread_mutex_unlock(&m);
    if (found != 256)
        x = 2;                                  // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
