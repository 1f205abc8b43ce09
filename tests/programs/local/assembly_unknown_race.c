// Assembly of which nothing is understood may write what its operands and its text lead to.
#include <pthread.h>

static int given, named, unrelated;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void strange(int *place) {
    __asm__ volatile("tpause %%eax\n\tclwb %0\n\tincl named(%%rip)" : "+m"(*place) : "a"(0), "d"(0) : "cc"); // race missed(explore): it does not run assembly
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    unrelated++;                                // no-race alarm(explore): it does not run assembly
    pthread_mutex_unlock(&lock);
    strange(&given);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return unrelated + named;                   // no-race
}
