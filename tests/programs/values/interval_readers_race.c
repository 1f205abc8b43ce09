// Readers are counted under the lock; a writer works although there is one.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int readers, writing;
static int page;

static void *reader(void *arg) {
    pthread_mutex_lock(&m);
    int may = writing == 0;
    readers += may;
    pthread_mutex_unlock(&m);
    if (may) {
        arg = page > 0 ? arg : NULL;            // race
        pthread_mutex_lock(&m);
        readers--;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *writer(void *arg) {
    pthread_mutex_lock(&m);
    int may = readers <= 1;
    writing = may;
    pthread_mutex_unlock(&m);
    if (may) {
        page = 3;                               // race
        pthread_mutex_lock(&m);
        writing = 0;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
