// A question and its answer, each passed on by a flag of its own: release and acquire are enough, since nobody concludes
// anything from a flag that is down.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int asked, answered;
static int question, answer;

static void *oracle(void *arg) {
    while (!atomic_load_explicit(&asked, memory_order_acquire))
        ;
    answer = question + 1;                      // no-race
    atomic_store_explicit(&answered, 1, memory_order_release);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, oracle, NULL);
    question = 41;                              // no-race
    atomic_store_explicit(&asked, 1, memory_order_release);
    while (!atomic_load_explicit(&answered, memory_order_acquire))
        ;
    int seen = answer;                          // no-race
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
