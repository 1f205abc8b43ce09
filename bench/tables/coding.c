// Coding and communication: the first thread encodes words with a Hamming code and sends them over a channel that
// flips a bit now and then; THREADS - 1 threads receive, correct and decode them. With RACES two of the status words are
// kept without a lock, as in the program of [DHTC, Table 3], which had races.
#include <pthread.h>
#include <stdio.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef WORDS
#define WORDS 2
#endif
#define RECEIVERS (THREADS - 1)
#define PLACES 2

struct frame {
    unsigned char number, code;
};

static pthread_mutex_t channel_lock = PTHREAD_MUTEX_INITIALIZER, status_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t can_send = PTHREAD_COND_INITIALIZER, can_receive = PTHREAD_COND_INITIALIZER;
static struct frame channel[PLACES];
static int head, count, closed;
static unsigned char message[WORDS], decoded[WORDS];
static int received, corrected;
static int last_sent, last_received;

static unsigned char parity(unsigned bits) {
    bits ^= bits >> 4;
    bits ^= bits >> 2;
    bits ^= bits >> 1;
    return bits & 1;
}

static unsigned char encode(unsigned word) {
    unsigned p0 = parity(word & 0xd), p1 = parity(word & 0xb), p2 = parity(word & 0x7);
    return (unsigned char)(word | p0 << 4 | p1 << 5 | p2 << 6);
}

static unsigned decode(unsigned char code, int *errors) {
    for (unsigned word = 0; word < 16; word++) {
        unsigned difference = (unsigned)(encode(word) ^ code) & 0x7f;
        if ((difference & (difference - 1)) == 0) {
            *errors = difference != 0;
            return word;
        }
    }
    *errors = 1;
    return 0;
}

static void transmit(struct frame frame) {
    if (frame.number % 2 == 1)
        frame.code ^= 4;
    pthread_mutex_lock(&channel_lock);
    while (count == PLACES)
        pthread_cond_wait(&can_send, &channel_lock);
    channel[(head + count) % PLACES] = frame;
    count++;
    pthread_cond_signal(&can_receive);
    pthread_mutex_unlock(&channel_lock);
}

static int receive(struct frame *frame) {
    int is_there = 0;
    pthread_mutex_lock(&channel_lock);
    while (count == 0 && !closed)
        pthread_cond_wait(&can_receive, &channel_lock);
    if (count > 0) {
        *frame = channel[head];
        head = (head + 1) % PLACES;
        count--;
        is_there = 1;
        pthread_cond_signal(&can_send);
    }
    pthread_mutex_unlock(&channel_lock);
    return is_there;
}

static void note(int *status, int value) {
#ifdef RACES
    *status = value;
#else
    pthread_mutex_lock(&status_lock);
    *status = value;
    pthread_mutex_unlock(&status_lock);
#endif
}

static void *sender(void *arg) {
    for (int i = 0; i < WORDS; i++) {
        struct frame frame = {(unsigned char)i, encode(message[i])};
        transmit(frame);
        note(&last_sent, i);
    }
    pthread_mutex_lock(&channel_lock);
    closed = 1;
    pthread_cond_broadcast(&can_receive);
    pthread_mutex_unlock(&channel_lock);
    return arg;
}

static void *receiver(void *arg) {
    struct frame frame;
    while (receive(&frame)) {
        int errors = 0;
        unsigned word = decode(frame.code, &errors);
        pthread_mutex_lock(&status_lock);
        decoded[frame.number] = (unsigned char)word;
        received++;
        corrected += errors;
        pthread_mutex_unlock(&status_lock);
        note(&last_received, frame.number);
#ifdef RACES
        if (last_sent < last_received)
            note(&last_sent, frame.number);
#endif
    }
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
    int wrong = 0;
    for (int i = 0; i < WORDS; i++)
        message[i] = (unsigned char)(i * 5 % 16);
    pthread_create(&threads[0], NULL, sender, NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_create(&threads[i], NULL, receiver, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&status_lock);
    for (int i = 0; i < WORDS; i++)
        wrong += decoded[i] != message[i];
    printf("%d words, %d corrected\n", received, corrected);
    pthread_mutex_unlock(&status_lock);
    return wrong;
}
