// strcpy, strcat, strlen and strcmp on a shared string, under a lock.
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[64];

static void *writer(void *arg) {
    pthread_mutex_lock(&m);
    strcpy(text, "one");                        // no-race
    strcat(text, " two");                       // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_mutex_lock(&m);
    size_t length = strlen(text);               // no-race
    int same = strcmp(text, "one two") == 0;    // no-race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return length == 0 || same ? 0 : 1;
}
