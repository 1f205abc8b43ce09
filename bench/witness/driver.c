// A driver: an interrupt, a timer and a user who sends commands. The reset that follows a bad argument touches the
// status without the lock. Race: command 0x5a03, argument 1035.
#include <pthread.h>

#ifndef SIZE
#define SIZE 1
#endif

extern unsigned __VERIFIER_nondet_uint(void);

enum { RING = 8, REGISTERS = 4 };

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned status;
static unsigned registers[REGISTERS];
static unsigned char ring[RING];
static unsigned head, tail, dropped, received, ticks, checksum;

static void count(unsigned *counter, unsigned by) {
    pthread_mutex_lock(&stats_lock);
    *counter += by;
    checksum = checksum * 31 + by;
    pthread_mutex_unlock(&stats_lock);
}

static unsigned mixed(unsigned value) {
    for (int round = 0; round < 3; round++)
        value = (value ^ value >> 3) * 2654435761u + (unsigned)round;
    return value;
}

static void receive(unsigned char byte) {
    pthread_mutex_lock(&device_lock);
    if (head - tail < RING)
        ring[head++ % RING] = byte;
    else
        status |= 2;
    pthread_mutex_unlock(&device_lock);
    count(&received, 1);
}

static void *interrupt(void *arg) {
    for (unsigned char byte = 0; byte < 2 * SIZE; byte++)
        receive(byte);
    pthread_mutex_lock(&device_lock);
    status |= 1;
    pthread_mutex_unlock(&device_lock);
    return arg;
}

static void *timer(void *arg) {
    pthread_mutex_lock(&device_lock);
    unsigned waiting = head - tail;
    registers[0] = mixed(waiting);
    pthread_mutex_unlock(&device_lock);
    count(&ticks, waiting + 1);
    return arg;
}

static int set_register(unsigned number, unsigned value) {
    if (number >= REGISTERS)
        return -1;
    pthread_mutex_lock(&device_lock);
    registers[number] = mixed(value);
    pthread_mutex_unlock(&device_lock);
    if (value % 97 == 65 && value / 97 == 10 && number == 3)
        return -2;
    return 0;
}

static void *user(void *arg) {
    unsigned command = __VERIFIER_nondet_uint();
    unsigned argument = __VERIFIER_nondet_uint();
    if (command >> 8 != 0x5a)
        return arg;
    int result = set_register(command & 0xff, argument);
    if (result == -1)
        count(&dropped, 1);
    else if (result == -2)
        status = 0;
    return arg;
}

int main(void) {
    pthread_t a, b, timers[SIZE];
    pthread_create(&a, NULL, interrupt, NULL);
    pthread_create(&b, NULL, user, NULL);
    for (int i = 0; i < SIZE; i++)
        pthread_create(&timers[i], NULL, timer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < SIZE; i++)
        pthread_join(timers[i], NULL);
    return (int)(status + ticks + received);
}
