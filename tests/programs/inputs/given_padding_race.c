// The padding of a long double is whatever was there: the race needs another value.
// Whoever comes last has everything to itself, but with some inputs the first one does not wait for that.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int done;
static int slots[2], sum, hurry;

static void *worker(void *arg) {
    int me = *(int *)arg;
    slots[me] = me + 1;                         // race missed(explore): needs another input
    if (atomic_fetch_add(&done, 1) == 1 || hurry)
        sum = slots[0] + slots[1];              // race missed(explore): needs another input
    return NULL;
}

int main(void) {
    long double number = 1;
    unsigned char bytes[sizeof number];
    memcpy(bytes, &number, sizeof number);
    hurry = bytes[sizeof number - 1] == 77;
    pthread_t ids[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&ids[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
