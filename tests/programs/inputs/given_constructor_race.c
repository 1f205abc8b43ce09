// The loader gives arguments to constructors, too: the race needs three.
// Whoever comes last has everything to itself, but with some inputs the first one does not wait for that.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;
static int slots[2], sum, hurry;

static void *worker(void *arg) {
    int me = *(int *)arg;
    slots[me] = me + 1;                         // race missed(explore): needs another input
    if (atomic_fetch_add(&done, 1) == 1 || hurry)
        sum = slots[0] + slots[1];              // race missed(explore): needs another input
    return NULL;
}

__attribute__((constructor)) static void prepare(int count, char **arguments) {
    (void)arguments;
    hurry = count == 4;
}

int main(void) {
    pthread_t ids[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&ids[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
