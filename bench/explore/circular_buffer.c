// A ring of SIZE + 1 places: one thread sends SIZE times, one receives SIZE times if it is not empty: C(2*SIZE, SIZE).
#include <pthread.h>

#ifndef SIZE
#define SIZE 7
#endif
#define PLACES (SIZE + 1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int place[PLACES];
    int first, next;
} ring;
static int received;

static void *sender(void *arg) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        if ((ring.next + 1) % PLACES != ring.first) {
            ring.place[ring.next] = i;
            ring.next = (ring.next + 1) % PLACES;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *receiver(void *arg) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        if (ring.first != ring.next) {
            received += ring.place[ring.first];
            ring.first = (ring.first + 1) % PLACES;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return received >= 0 ? 0 : 1;
}
