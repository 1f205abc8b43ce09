// A function whose body is assembly touches what it is given, and returns.
#include <pthread.h>

static int counter, other, unrelated;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((naked)) static int bump(int *place) { __asm__("incl (%rdi)\n\tmovl (%rdi), %eax\n\tret"); }

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    bump(&counter);                             // no-race
    unrelated++;                                // no-race alarm(explore): it does not run assembly
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a;
    bump(&other);
    other++;                                    // no-race
    pthread_create(&a, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    unrelated++;                                // no-race
    counter++;                                  // no-race
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    return unrelated + other;                   // no-race
}
