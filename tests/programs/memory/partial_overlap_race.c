// Byte writes into the middle of a four-byte object.
#include <pthread.h>

static int words[2];

static void *worker(void *arg) {
    words[0] = 1;                               // race
    words[1] = 2;                               // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    char *p = (char *)words;
    pthread_create(&t, NULL, worker, NULL);
    p[1] = 1;                                   // race
    p[2] = 1;                                   // race
    pthread_join(t, NULL);
    return words[1] == 2 ? 0 : 1;               // no-race
}
