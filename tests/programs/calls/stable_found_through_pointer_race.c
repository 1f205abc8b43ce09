// A callee returns what it found through a pointer that another callee sets to another object then.
#include <pthread.h>

struct settings {
    int which;
};

static struct settings first, second, *current;
static int data;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static int get(void)
{
    return current->which; // no-race
}

static void set(struct settings *s)
{
    current = s; // no-race
}

static void *worker(void *arg)
{
    int k = current->which; // no-race
    pthread_mutex_lock(&m[k]);
    data++; // race
    pthread_mutex_unlock(&m[k]);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    first.which = argc > 1;
    second.which = argc <= 1;
    set(argc > 2 ? &second : &first);
    int k = get();
    set(argc > 2 ? &first : &second);
    pthread_create(&t, NULL, worker, argv);
    pthread_mutex_lock(&m[k]);
    data++; // race
    pthread_mutex_unlock(&m[k]);
    pthread_join(t, NULL);
    return 0;
}
