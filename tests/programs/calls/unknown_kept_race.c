// What one unknown function was given, another one may touch: here without the lock.
#include <pthread.h>

void keep(int *where) __attribute__((weak));
void bump(void) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static int own;

static void *worker(void *arg)
{
    bump(); // race missed(explore): `bump` is defined nowhere
    return arg;
}

int main(void)
{
    pthread_t first, second;
    keep(&count); // no-race
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_mutex_lock(&lock);
    count = 1; // race missed(explore): nothing is executed
    pthread_mutex_unlock(&lock);
    own = 1; // no-race
    pthread_join(first, 0);
    pthread_join(second, 0);
    return count + own; // no-race
}
