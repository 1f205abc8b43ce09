// Each thread has a text of its own; how much is behind a letter in it is an index into an array of all.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char counts[8];
static char *current;

static void *worker(void *arg) {
    char *text = arg;
    char *found = strchr(text, 'x');
    pthread_mutex_lock(&m);
    char *to = current;
    pthread_mutex_unlock(&m);
    if (found != NULL)
        to[text + 4 - found]++;                 // race
    return NULL;
}

static void *setter(void *arg) {
    pthread_mutex_lock(&m);
    current = counts + 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    current = counts;
    pthread_create(&t, NULL, setter, NULL);
    for (int i = 0; i < 2; i++) {
        char *text = malloc(4);
        memcpy(text, "axb", 4);
        pthread_create(&t, NULL, worker, text);
    }
    return 0;
}
