// Check then act by any number of threads: the check is without the lock [PN, Fig. 5].
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *adder(void *arg) {
    pthread_mutex_lock(&m);
    data++;                                     // race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *checker(void *arg) {
    if (data > 0)                               // race
        return NULL;
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    for (int i = 0; i < argc; i++) {
        pthread_create(&t, NULL, adder, argv);
        pthread_create(&t, NULL, checker, argv);
    }
    return 0;
}
