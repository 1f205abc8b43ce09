// A number in a new object is written by a callee, read, and the same when a thread gets the object.
#include <pthread.h>
#include <stdlib.h>

struct settings {
    int which;
};

static int data;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void set(struct settings *s, int which)
{
    s->which = which; // no-race
}

static void *worker(void *arg)
{
    struct settings *s = arg;
    int k = s->which; // no-race
    pthread_mutex_lock(&m[k]);
    data++; // no-race
    pthread_mutex_unlock(&m[k]);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    struct settings *s = malloc(sizeof *s);
    set(s, argc > 1);
    int k = s->which; // no-race
    pthread_create(&t, NULL, worker, s);
    pthread_mutex_lock(&m[k]);
    data++; // no-race
    pthread_mutex_unlock(&m[k]);
    pthread_join(t, NULL);
    return argv == NULL;
}
