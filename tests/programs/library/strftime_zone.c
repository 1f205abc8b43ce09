// The name of the time zone is behind tm_zone: strftime reads it; the lock keeps the writer away
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char zone[8] = "ABC";
static struct tm when = {.tm_year = 100, .tm_mday = 1, .tm_zone = zone};

static void *rename_zone(void *arg) {
    pthread_mutex_lock(&m);
    zone[0] = 'X'; // no-race alarm(explore): what is behind tm_zone is not told to the runtime
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    char text[16];
    pthread_create(&t, 0, rename_zone, 0);
    pthread_mutex_lock(&m);
    strftime(text, sizeof text, "%Z", &when); // no-race
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
