/* One thread moves N items from a queue to another one, from which a third takes them. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 4
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int head, tail;
} one = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0},
  two = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static int items[N];

static void put(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    q->tail++;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static int take(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    while (q->head == q->tail) pthread_cond_wait(&q->filled, &q->lock);
    int item = q->head++;
    pthread_mutex_unlock(&q->lock);
    return item;
}

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < N; i++) {
        int item = take(&one);
#ifdef RACY
        put(&two);
        items[item] = 2;
#else
        items[item] = 2;
        put(&two);
#endif
    }
    return 0;
}

static void *second(void *unused) {
    (void)unused;
    for (int i = 0; i < N; i++) items[take(&two)] = 3;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    for (int i = 0; i < N; i++) {
        items[i] = 1;
        put(&one);
    }
    pthread_join(a, 0);
    pthread_join(b, 0);
    return items[0];
}
