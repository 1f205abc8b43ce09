// Jobs have a text of their own, which goes with them.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    char *text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    if (mine != NULL)
        jobs = mine->next; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_unlock(&lock);
    if (mine != NULL) {
        mine->text[0] = 'x'; // no-race alarm(lockset): an object that was taken out belongs to who took it
        free(mine->text); // no-race alarm(lockset): an object that was taken out belongs to who took it
        free(mine); // no-race alarm(lockset): an object that was taken out belongs to who took it
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        char *text = malloc(8);
        if (job == NULL || text == NULL)
            return 1;
        text[0] = 'a'; // no-race alarm(lockset): an object that was taken out belongs to who took it
        job->text = text; // no-race alarm(lockset): an object that was taken out belongs to who took it
        pthread_mutex_lock(&lock);
        job->next = jobs; // no-race alarm(lockset): an object that was taken out belongs to who took it
        jobs = job;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
