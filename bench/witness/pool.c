// Workers take jobs from a queue under a lock and a condition; results are merged. One result is written without the
// lock. Race: a job with the input 113, of which 113 * 113 is 12769, while another worker merges.
#include <pthread.h>

#ifndef SIZE
#define SIZE 1
#endif

extern int __VERIFIER_nondet_int(void);

enum { JOBS = SIZE + 1, WORKERS = 2 };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queue[JOBS], first, last, is_closed;
static int best, total, finished[WORKERS];

static int take(int *job) {
    int found = 0;
    pthread_mutex_lock(&queue_lock);
    while (first == last && !is_closed)
        pthread_cond_wait(&filled, &queue_lock);
    if (first != last) {
        *job = queue[first++];
        found = 1;
    }
    pthread_mutex_unlock(&queue_lock);
    return found;
}

static int worth(int job) {
    if (job < 100 || job > 200)
        return job & 63;
    return job * job;
}

static void merge(int value) {
    if (value == 12769) {
        best = value;
        return;
    }
    pthread_mutex_lock(&result_lock);
    total += value;
    if (value > best)
        best = value;
    pthread_mutex_unlock(&result_lock);
}

static void *worker(void *arg) {
    int job;
    for (int i = 0; i < JOBS && take(&job); i++) {
        merge(worth(job));
        finished[arg != NULL]++;
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int input = __VERIFIER_nondet_int();
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, &queue);
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&queue_lock);
        queue[last++] = i == 1 ? input : i;
        is_closed = i == JOBS - 1;
        pthread_cond_broadcast(&filled);
        pthread_mutex_unlock(&queue_lock);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return best + total + finished[0] + finished[1];
}
