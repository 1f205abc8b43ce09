// The receiver does not wait until the sender is ahead.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sent, received;
static int slot;

static int lead(void) {
    pthread_mutex_lock(&m);
    int difference = sent - received;
    pthread_mutex_unlock(&m);
    return difference;
}

static void *sender(void *arg) {
    for (int i = 0; i < 3; i++)
        if (lead() == 0) {
            slot = i;                           // race
            pthread_mutex_lock(&m);
            sent++;
            pthread_mutex_unlock(&m);
        }
    return arg;
}

static void *receiver(void *arg) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        if (lead() >= 0) {
            sum += slot;                        // race
            pthread_mutex_lock(&m);
            received++;
            pthread_mutex_unlock(&m);
        }
    return sum <= 3 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
