// The name of the time zone is behind tm_zone: strftime reads it while another thread writes it
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static char zone[8] = "ABC";
static struct tm when = {.tm_year = 100, .tm_mday = 1, .tm_zone = zone};

static void *rename_zone(void *arg) {
    zone[0] = 'X'; // race missed(explore): what is behind tm_zone is not told to the runtime
    return arg;
}

int main(void) {
    pthread_t t;
    char text[16];
    pthread_create(&t, 0, rename_zone, 0);
    strftime(text, sizeof text, "%Z", &when); // race missed(explore): what is behind tm_zone is not told to the runtime
    pthread_join(t, 0);
    return 0;
}
