// The lock of one object is held while another object of the same type is changed.
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account red = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account blue = {PTHREAD_MUTEX_INITIALIZER, 200};

static void *move_to_blue(void *arg) {
    struct account *acc = arg;
    pthread_mutex_lock(&acc->lock);
    acc->balance -= 10;                         // no-race
    blue.balance += 10;                         // race
    pthread_mutex_unlock(&acc->lock);
    return NULL;
}

static void *fee(void *arg) {
    pthread_mutex_lock(&blue.lock);
    blue.balance--;                             // race
    pthread_mutex_unlock(&blue.lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, move_to_blue, &red);
    pthread_create(&b, NULL, fee, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return red.balance + blue.balance == 299 ? 0 : 1;  // no-race
}
