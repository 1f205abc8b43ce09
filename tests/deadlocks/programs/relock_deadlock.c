// a mutex is given back before it is taken again, or not: deadlock
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(void) {
    pthread_mutex_lock(&a); // deadlock
    count++;
    pthread_mutex_unlock(&a);
}

static void *first(void *p) {
    pthread_mutex_lock(&a); // deadlock
    count++;
    add();
    pthread_mutex_unlock(&a);
    return p;
}

static void *second(void *p) {
    add();
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
