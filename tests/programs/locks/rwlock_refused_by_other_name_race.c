// A rwlock is taken by two names: if they are one, the second call is refused, and one unlock gives it back.
#include <pthread.h>

struct item {
    pthread_rwlock_t lock;
    int x;
};

static struct item first = {PTHREAD_RWLOCK_INITIALIZER, 0}, second = {PTHREAD_RWLOCK_INITIALIZER, 0};

static void work(struct item *p, struct item *q)
{
    pthread_rwlock_wrlock(&p->lock);
    pthread_rwlock_rdlock(&q->lock);
    pthread_rwlock_unlock(&q->lock);
    p->x++; // race
    if (p != q)
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
    struct item *q = argc > 1 ? &second : &first;
    pthread_create(&t, NULL, worker, q);
    work(&first, q);
    pthread_join(t, NULL);
    return argv == NULL;
}
