// A flag that starts with 256 is changed by a store of zero into one of its bytes, by another thread than the sender.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static union {
    int flag;
    char bytes[4];
} u = {256};
static int x;

static void *sender(void *arg) {
    x = 1;                                      // race
    pthread_mutex_lock(&m);
    u.flag = 7;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *other(void *arg) {
    pthread_mutex_lock(&m);
    u.bytes[1] = 0;
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
        x = 2;                                  // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
