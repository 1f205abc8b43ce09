// What a union passed by value has in it is a number here: no function is called through it.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};
struct operation {
    const char *name;
    int (*run)(int);
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;

static int twice(int n) {
    return 2 * n;
}
static int thrice(int n) {
    return 3 * n;
}
static const struct operation operations[] = {{"twice", twice}, {"thrice", thrice}};

static void *work(void *arg) {
    int result = operations[arg != NULL].run(3);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    total += result; // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int id = semget(IPC_PRIVATE, 1, 0600);
    semctl(id, 0, SETVAL, (union semun){.val = 1});
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    semctl(id, 0, IPC_RMID, (union semun){.val = 0});
    return total; // no-race
}
