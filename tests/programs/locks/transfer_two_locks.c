// Transfer between two accounts, both locks taken in the order of the indices.
#include <pthread.h>

static struct account {
    pthread_mutex_t lock;
    int balance;
} accounts[3];

static void transfer(int from, int to) {
    int low = from < to ? from : to;
    int high = from < to ? to : from;
    pthread_mutex_lock(&accounts[low].lock);
    pthread_mutex_lock(&accounts[high].lock);
    accounts[low].balance--;                    // no-race
    accounts[high].balance++;                   // no-race
    pthread_mutex_unlock(&accounts[high].lock);
    pthread_mutex_unlock(&accounts[low].lock);
}

static void *worker(void *arg) {
    transfer(0, 1);
    transfer(2, 1);
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
    return accounts[0].balance == -4 ? 0 : 1;   // no-race
}
