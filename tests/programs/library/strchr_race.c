// strchr returns a pointer into its argument, and the thread writes through it.
#include <pthread.h>
#include <string.h>

static char text[] = "key=value";

static void *worker(void *arg) {
    char *p = strchr(text, '=');                // race
    if (p != NULL)
        *p = ':';                               // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    text[3] = '-';                              // race
    pthread_join(t, NULL);
    return text[0] == 'k' ? 0 : 1;              // no-race
}
