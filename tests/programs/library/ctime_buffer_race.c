// ctime fills in the structure that localtime has returned.
#include <pthread.h>
#include <time.h>

static struct tm *shown;
static long year;

static void *first(void *arg) {
    year = shown->tm_year;                     // race missed(explore): hidden state
    return arg;
}

static void *second(void *arg) {
    time_t then = 0;
    ctime(&then);                              // race missed(explore): hidden state
    return arg;
}

int main(void) {
    pthread_t a, b;
    time_t now = time(NULL);
    shown = localtime(&now);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
