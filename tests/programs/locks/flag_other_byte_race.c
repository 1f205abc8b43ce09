// Under a lock a reader finds a flag set, but not by who has written the data: another one sets its second byte.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int flag;
static int data;

static void *writer(void *arg) {
    data = 1;                                   // race
    pthread_mutex_lock(&m);
    flag = 1;                                   // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *reader(void *arg) {
    pthread_mutex_lock(&m);
    int is_set = flag;                          // no-race
    pthread_mutex_unlock(&m);
    if (is_set)
        data = 2;                               // race
    return arg;
}

static void *other(void *arg) {
    pthread_mutex_lock(&m);
    ((char *)&flag)[1] = 1;                     // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&t, NULL, other, NULL);
    return 0;
}
