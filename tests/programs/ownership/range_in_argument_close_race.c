// As range_in_argument.c, but ranges begin closer together than they are long.
#include <pthread.h>
#include <stdlib.h>

#define EACH 3

struct part {
    int first, last;
    long sum;
};

static int *numbers;

static void *worker(void *arg) {
    struct part *part = arg;
    for (int i = part->first; i < part->last; i++) {
        numbers[i] = i;                         // race
        part->sum += numbers[i];                // race
    }
    return NULL;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? 3 : 2;
    pthread_t threads[n];
    struct part parts[n];
    numbers = calloc(n, EACH * sizeof *numbers);
    for (int i = 0; i < n; i++) {
        parts[i].first = i * (EACH - 1);
        parts[i].last = parts[i].first + EACH;
        parts[i].sum = 0;                       // no-race
        pthread_create(&threads[i], NULL, worker, &parts[i]);
    }
    long sum = 0;
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        sum += parts[i].sum;                    // no-race
    }
    return sum > 0;
}
