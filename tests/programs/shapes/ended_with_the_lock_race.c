// A thread ends with the lock in its hands; what it has left is found by main, who gives it away and uses it.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static struct job *shared;

static void use(struct job *job) {
    if (job != NULL)
        job->number++; // race
}

static void *giver(void *arg) {
    pthread_mutex_lock(&lock);
    jobs = calloc(1, sizeof *jobs);
    return NULL;
}

static void *user(void *arg) {
    use(calloc(1, sizeof *jobs));
    pthread_mutex_lock(&other);
    struct job *mine = shared;
    shared = NULL;
    pthread_mutex_unlock(&other);
    use(mine);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    use(calloc(1, sizeof *jobs));
    pthread_create(&a, NULL, giver, NULL);
    pthread_join(a, NULL);
    struct job *mine = jobs;
    shared = mine;
    pthread_create(&b, NULL, user, NULL);
    use(mine);
    pthread_join(b, NULL);
    return 0;
}
