// Header, body and rest of a packet by three threads; the lengths of header and body are inputs.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define SIZE 6
static int header, body;
static char packet[SIZE + 1];

static void *write_header(void *arg) {
    for (int i = 0; i < header; i++)
        packet[i] = 'h';                        // no-race alarm(lockset): the parts follow one another; alarm(explore): not all inputs are tried
    return arg;
}

static void *write_body(void *arg) {
    for (int i = header; i < header + body; i++)
        packet[i] = 'b';                        // no-race alarm(lockset): the parts follow one another
    return arg;
}

static void *write_rest(void *arg) {
    for (int i = header + body; i < SIZE; i++)
        packet[i] = 'r';                        // no-race alarm(lockset): the parts follow one another
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    header = __VERIFIER_nondet_int();
    body = __VERIFIER_nondet_int();
    if (header < 0 || header > 2 || body < 0 || body > 2)
        return 0;
    pthread_create(&a, NULL, write_header, NULL);
    pthread_create(&b, NULL, write_body, NULL);
    pthread_create(&c, NULL, write_rest, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return packet[SIZE] == 0 ? 0 : 1;           // no-race
}
