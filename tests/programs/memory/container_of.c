// From the address of a member back to the object, whose lock protects the rest.
#include <pthread.h>
#include <stddef.h>

struct link {
    struct link *next;
};

struct device {
    pthread_mutex_t lock;
    int users;
    struct link link;
};

static struct device device = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *worker(void *arg) {
    struct device *d = (struct device *)((char *)arg - offsetof(struct device, link));
    pthread_mutex_lock(&d->lock);
    d->users++;                                 // no-race
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &device.link);
    pthread_create(&b, NULL, worker, &device.link);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return device.users == 2 ? 0 : 1;           // no-race
}
