// The lock lies in the struct that it protects; the threads get pointers to the same or different objects.
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account red = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account blue = {PTHREAD_MUTEX_INITIALIZER, 200};

static void *deposit(void *arg) {
    struct account *acc = arg;
    pthread_mutex_lock(&acc->lock);
    acc->balance += 10;                         // no-race
    pthread_mutex_unlock(&acc->lock);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, deposit, &red);
    pthread_create(&t[1], NULL, deposit, &red);
    pthread_create(&t[2], NULL, deposit, &blue);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return red.balance + blue.balance == 330 ? 0 : 1;  // no-race
}
