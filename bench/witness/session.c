// A session on the heap, driven by packets; a logger looks at it. After hello, key and a bad checksum the peer is
// written without the lock. Race: packets 1, 2 and 3 with the payloads 7, 0 and 61.
#include <pthread.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 1
#endif

extern unsigned char __VERIFIER_nondet_uchar(void);

struct session {
    pthread_mutex_t lock;
    int state;
    unsigned peer;
    unsigned bytes;
    unsigned window[4];
};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned log_lines, log_sum;

static void log_line(unsigned value) {
    pthread_mutex_lock(&log_lock);
    log_lines++;
    for (int bit = 0; bit < 4; bit++)
        log_sum = log_sum << 1 ^ (value >> bit & 1 ? 0x8005u : 0u);
    pthread_mutex_unlock(&log_lock);
}

static void account(struct session *session, unsigned size) {
    pthread_mutex_lock(&session->lock);
    session->bytes += size;
    session->window[session->bytes % 4] = size;
    pthread_mutex_unlock(&session->lock);
}

static int step(struct session *session, unsigned kind, unsigned payload) {
    switch (session->state) {
    case 0:
        if (kind == 1 && payload % 8 == 7)
            session->state = 1;
        return 0;
    case 1:
        session->state = kind == 2 ? 2 : 0;
        return 0;
    case 2:
        if (kind == 3 && (payload * 3 & 0xff) == 0xb7)
            return -1;
        session->state = 0;
        return 0;
    default:
        return 0;
    }
}

static void *protocol(void *arg) {
    struct session *session = arg;
    for (int i = 0; i < 3; i++) {
        unsigned kind = __VERIFIER_nondet_uchar();
        unsigned payload = __VERIFIER_nondet_uchar();
        account(session, payload & 15);
        if (step(session, kind, payload) < 0) {
            session->peer = 0;
            log_line(payload);
            break;
        }
    }
    return NULL;
}

static void *logger(void *arg) {
    struct session *session = arg;
    pthread_mutex_lock(&session->lock);
    unsigned bytes = session->bytes;
    unsigned peer = session->peer;
    pthread_mutex_unlock(&session->lock);
    log_line(bytes);
    log_line(peer);
    return NULL;
}

int main(void) {
    pthread_t a, loggers[SIZE];
    struct session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return 1;
    pthread_mutex_init(&session->lock, NULL);
    session->peer = 42;
    pthread_create(&a, NULL, protocol, session);
    for (int i = 0; i < SIZE; i++)
        pthread_create(&loggers[i], NULL, logger, session);
    pthread_join(a, NULL);
    for (int i = 0; i < SIZE; i++)
        pthread_join(loggers[i], NULL);
    pthread_mutex_destroy(&session->lock);
    free(session);
    return (int)(log_lines + log_sum);
}
