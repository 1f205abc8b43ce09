// Transfer between two accounts under the lock of the payer only.
#include <pthread.h>

static struct account {
    pthread_mutex_t lock;
    int balance;
} accounts[3];

static void transfer(int from, int to) {
    pthread_mutex_lock(&accounts[from].lock);
    accounts[from].balance--;                   // race
    accounts[to].balance++;                     // race
    pthread_mutex_unlock(&accounts[from].lock);
}

static void *worker(void *arg) {
    transfer(0, 1);
    transfer(1, 2);
    transfer(2, 0);
    return arg;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&accounts[i].lock, NULL);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return accounts[0].balance + accounts[1].balance + accounts[2].balance;  // no-race
}
