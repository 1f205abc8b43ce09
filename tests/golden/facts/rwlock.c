/* Read and write side of a lock, a trylock whose result decides, a flag that is atomic. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int table[8], log_length;
static atomic_bool stop;

static void *reader(void *unused)
{
    while (!atomic_load(&stop)) {
        pthread_rwlock_rdlock(&table_lock);
        int value = table[3];
        pthread_rwlock_unlock(&table_lock);
        if (pthread_mutex_trylock(&log_lock) == 0) {
            log_length += value;
            pthread_mutex_unlock(&log_lock);
        }
    }
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, reader, 0);
    pthread_rwlock_wrlock(&table_lock);
    table[3] = 1;
    pthread_rwlock_unlock(&table_lock);
    atomic_store(&stop, 1);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return log_length;
}
