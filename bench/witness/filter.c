// Workers filter parts of a signal with coefficients that main has set up. A value that equals the limit is counted
// without the lock. Race: the input 2000, which doubled is the limit of one worker, while the other counts as well.
#include <pthread.h>

#ifndef SIZE
#define SIZE 1
#endif

extern short __VERIFIER_nondet_short(void);

enum { WORKERS = 2, PART = 2 * SIZE, TAPS = 2 };

struct job {
    int begin;
    int end;
    int limit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int coefficients[TAPS];
static int signal_in[WORKERS * PART + TAPS];
static int signal_out[WORKERS * PART];
static struct job jobs[WORKERS];
static int events;

static int filtered(int at) {
    int sum = 0;
    for (int tap = 0; tap < TAPS; tap++)
        sum += coefficients[tap] * signal_in[at + tap];
    return sum;
}

static void *worker(void *arg) {
    const struct job *job = arg;
    for (int at = job->begin; at < job->end; at++) {
        int value = filtered(at);
        if (value == job->limit) {
            events++;
            value = 0;
        }
        signal_out[at] = value;
    }
    pthread_mutex_lock(&lock);
    events++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t ids[WORKERS];
    for (int tap = 0; tap < TAPS; tap++)
        coefficients[tap] = tap + 1;
    for (int i = 0; i < WORKERS * PART + TAPS; i++)
        signal_in[i] = i % 3;
    signal_in[PART - 1] = __VERIFIER_nondet_short();
    for (int i = 0; i < WORKERS; i++) {
        jobs[i].begin = i * PART;
        jobs[i].end = (i + 1) * PART;
        jobs[i].limit = 4000 + i;
        pthread_create(&ids[i], NULL, worker, &jobs[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(ids[i], NULL);
    return events + signal_out[0];
}
