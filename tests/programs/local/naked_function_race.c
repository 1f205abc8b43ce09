// A function whose body is assembly touches what it is given without a lock, and what comes behind its call runs.
#include <pthread.h>

static int counter, other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((naked)) static int bump(int *place) {
    __asm__("incl (%rdi)\n\tmovl (%rdi), %eax\n\tret"); // race missed(explore): it does not run assembly
}

static void *worker(void *arg) {
    bump(&counter);
    other++;                                    // race missed(explore): it does not run assembly
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    counter++;                                  // race missed(explore): it does not run assembly
    other++;                                    // race missed(explore): it does not run assembly
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    return 0;
}
