// An input decides about the initial value of a semaphore.
// The race needs: x = 0x3d.
#include <pthread.h>
#include <semaphore.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static sem_t full;
static int item;

static void *first(void *arg) {
    item = 1;                                   // race missed(explore): it tries other values
    sem_post(&full);
    return arg;
}

static void *second(void *arg) {
    sem_wait(&full);
    item++;                                     // race missed(explore): it tries other values
    return arg;
}

int main(void) {
    pthread_t a, b;
    unsigned char x = __VERIFIER_nondet_uchar();
    sem_init(&full, 0, (x & 0xf0) == 0x30 && (x & 0x0f) == 0x0d);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
