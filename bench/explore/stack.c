// One thread pushes SIZE times, one pops SIZE times if there is something, each under the mutex: C(2*SIZE, SIZE) traces.
#include <pthread.h>

#ifndef SIZE
#define SIZE 7
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stack[SIZE], top, sum;

static int push(int value) {
    if (top == SIZE)
        return -1;
    stack[top++] = value;
    return 0;
}

static int pop(void) {
    if (top == 0)
        return -1;
    return stack[--top];
}

static void *pusher(void *arg) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        push(i);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *popper(void *arg) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        if (top > 0)
            sum += pop();
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, pusher, NULL);
    pthread_create(&b, NULL, popper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum >= 0 ? 0 : 1;
}
