// A store to the word before a flag is as wide as both: it writes the initial value of that word, and changes the flag.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static union {
    struct {
        int before, flag;
    } s;
    long both;
} u = {{5, 1}};
static int x;

static void *sender(void *arg) {
    x = 1;                                      // race
    pthread_mutex_lock(&m);
    u.s.flag = 7;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *other(void *arg) {
    pthread_mutex_lock(&m);
    u.both = 5;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_mutex_lock(&m);
    int found = u.s.flag;
    pthread_mutex_unlock(&m);
    if (found != 1)
        x = 2;                                  // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
