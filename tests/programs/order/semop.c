// A System V semaphore as a signal: semop waits until the other thread has posted.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int sem, x;

static void *posts(void *p) {
    struct sembuf up = {0, 1, 0};
    x = 1; // no-race alarm(lockset): semop is not followed; alarm(explore): nor is the order of its calls tried
    semop(sem, &up, 1);
    return p;
}

static void *waits(void *p) {
    struct sembuf down = {0, -1, 0};
    semop(sem, &down, 1);
    x = 2; // no-race alarm(lockset): semop is not followed
    return p;
}

int main(void) {
    pthread_t a, b;
    sem = semget(IPC_PRIVATE, 1, 0600);
    pthread_create(&b, 0, waits, 0);
    pthread_create(&a, 0, posts, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    semctl(sem, 0, IPC_RMID);
    return 0;
}
