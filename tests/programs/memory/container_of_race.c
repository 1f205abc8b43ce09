// From the address of a member back to the object, and no lock taken.
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
    d->users++;                                 // race
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, &device.link);
    pthread_mutex_lock(&device.lock);
    device.users++;                             // race
    pthread_mutex_unlock(&device.lock);
    pthread_join(t, NULL);
    return device.users == 2 ? 0 : 1;           // no-race
}
