// The bytes of a long double without its padding.
// Whoever comes last has everything to itself: no lock is needed.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int done;
static int slots[2], sum;

static void *worker(void *arg) {
    int me = *(int *)arg;
    slots[me] = me + 1;                         // no-race alarm(lockset): a count says who is last
    if (atomic_fetch_add(&done, 1) == 1)
        sum = slots[0] + slots[1];              // no-race alarm(lockset): a count says who is last
    return NULL;
}

int main(void) {
    long double number = 1;
    unsigned char bytes[sizeof number];
    memcpy(bytes, &number, sizeof number);
    if (bytes[0] == 77)
        sum = 1;
    pthread_t ids[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&ids[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
