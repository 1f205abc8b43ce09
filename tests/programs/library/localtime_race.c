// localtime returns a pointer to a static object of the library.
#include <pthread.h>
#include <time.h>

static void *worker(void *arg) {
    time_t when = (time_t)(long)arg;
    struct tm *tm = localtime(&when);           // race missed(explore): the library's own variable is not watched
    return tm->tm_year > 0 ? arg : NULL;        // race missed(explore): the library's own variable is not watched
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)100000000L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
