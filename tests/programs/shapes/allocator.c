// Jobs and what each worker keeps for itself come from the same allocator.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static void *allocate(size_t size) {
    void *made = malloc(size);
    if (made == NULL)
        abort();
    return made;
}

static struct job *new_job(int number) {
    struct job *job = allocate(sizeof *job);
    job->number = number;
    job->next = NULL;
    return job;
}

static void put(struct job *job) {
    pthread_mutex_lock(&lock);
    job->next = jobs;
    jobs = job;
    pthread_mutex_unlock(&lock);
}

static void add(int number) {
    put(new_job(number));
}

static void *worker(void *arg) {
    int *count = allocate(sizeof *count);
    *count = 0;
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    if (mine != NULL)
        jobs = mine->next;
    pthread_mutex_unlock(&lock);
    if (mine != NULL) {
        *count += 1;
        mine->number += *count; // no-race alarm(lockset): an object that was taken out belongs to who took it
        put(mine);
    }
    free(count);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    add(1);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    add(2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
