// Another thread writes one byte of the pointer.
#include <pthread.h>
#include <stdlib.h>

static _Alignas(256) char bytes[512];
static char *place = bytes;

static void *meddle(void *arg) {
    *(unsigned char *)&place ^= 1; // race
    bytes[1] = 1; // race
    return arg;
}

int main(void) {
    pthread_t t;
    place = bytes;
    pthread_create(&t, NULL, meddle, NULL);
    *place = 2; // race
    pthread_join(t, NULL);
    return 0;
}
