// A library function makes text of an address: the race needs one with another digit.
// Whoever comes last has everything to itself, but with some inputs the first one does not wait for that.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
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
    char text[32];
    snprintf(text, sizeof text, "%p", (void *)&sum);
    hurry = text[3] == 'q';
    pthread_t ids[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&ids[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
