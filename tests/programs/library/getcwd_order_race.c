// A thread writes unless it is in the root directory, before another one has gone there.
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int x;

static void *looks(void *arg) {
    char place[4096];
    if (getcwd(place, sizeof place) != NULL && strcmp(place, "/") != 0)
        x++;                                    // race missed(explore): in which order they come is not tried
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, looks, NULL);
    if (chdir("/") == 0) x = 1;                 // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
