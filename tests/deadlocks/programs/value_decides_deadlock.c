// the order depends on a number that is the same in both threads, or not: deadlock
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void take(int which) {
    pthread_mutex_lock(which ? &a : &b);
    pthread_mutex_lock(which ? &b : &a); // deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}

static void *first(void *p) {
    take(1);
    return p;
}

static void *second(void *p) {
    take(0);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
