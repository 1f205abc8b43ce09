// A rwlock is taken by two names: where the second call is not refused they are two locks, each given back by itself.
#include <pthread.h>
#include <stdlib.h>

struct item {
    pthread_rwlock_t lock;
    int x;
};

static struct item first = {PTHREAD_RWLOCK_INITIALIZER, 0}, second = {PTHREAD_RWLOCK_INITIALIZER, 0};

static void work(struct item *p, struct item *q)
{
    pthread_rwlock_wrlock(&p->lock);
    if (pthread_rwlock_rdlock(&q->lock) != 0)
        abort();
    pthread_rwlock_unlock(&q->lock);
    p->x++; // no-race
    pthread_rwlock_unlock(&p->lock);
}

static void *worker(void *arg)
{
    work(&first, arg);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    struct item *q = argc < 9 ? &second : &first;
    pthread_create(&t, NULL, worker, q);
    work(&first, q);
    pthread_join(t, NULL);
    return argv == NULL;
}
