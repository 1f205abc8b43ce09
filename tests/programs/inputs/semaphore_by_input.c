// The semaphore always begins with 0.
// 0x30 has the bit 0x10.
#include <pthread.h>
#include <semaphore.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static sem_t full;
static int item;

static void *first(void *arg) {
    item = 1;                                   // no-race alarm(lockset): the initial value is computed
    sem_post(&full);
    return arg;
}

static void *second(void *arg) {
    sem_wait(&full);
    item++;                                     // no-race alarm(lockset): the initial value is computed; alarm(explore): not all inputs
    return arg;
}

int main(void) {
    pthread_t a, b;
    unsigned char x = __VERIFIER_nondet_uchar();
    sem_init(&full, 0, (x & 0xf0) == 0x30 && (x & 0x10) == 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
