// Two threads take turns by a plain integer: it races itself, and orders nothing.
#include <pthread.h>

static int turn;
static int data;

static void *even(void *arg) {
    for (int i = 0; i < 2; i++) {
        while (turn != 0)                       // race
            ;
        data += 1;                              // race
        turn = 1;                               // race
    }
    return arg;
}

static void *odd(void *arg) {
    for (int i = 0; i < 2; i++) {
        while (turn != 1)                       // race
            ;
        data += 2;                              // race
        turn = 0;                               // race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, even, NULL);
    pthread_create(&b, NULL, odd, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data == 6 ? 0 : 1;                   // no-race
}
