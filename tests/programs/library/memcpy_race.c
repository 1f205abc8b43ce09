// memcpy reads the shared buffer while another thread writes one byte of it.
#include <pthread.h>
#include <string.h>

static char shared[16] = "hello";

static void *writer(void *arg) {
    shared[4] = 'a';                            // race
    return arg;
}

int main(void) {
    pthread_t t;
    char copy[16];
    pthread_create(&t, NULL, writer, NULL);
    memcpy(copy, shared, sizeof copy);          // race
    pthread_join(t, NULL);
    return copy[0] == 'h' ? 0 : 1;              // no-race
}
