// a transfer between two accounts on the heap, locked by number or by direction: deadlock
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    int number;
    long balance;
};

static struct account *x, *y;

static void transfer(struct account *from, struct account *to) {
    struct account *one = from;
    struct account *other = to;
    pthread_mutex_lock(&one->lock);
    pthread_mutex_lock(&other->lock); // deadlock
    from->balance--;
    to->balance++;
    pthread_mutex_unlock(&other->lock);
    pthread_mutex_unlock(&one->lock);
}

static void *first(void *p) {
    transfer(x, y);
    return p;
}

static void *second(void *p) {
    transfer(y, x);
    return p;
}

static struct account *open_account(int number) {
    struct account *made = malloc(sizeof *made);
    pthread_mutex_init(&made->lock, 0);
    made->number = number;
    made->balance = 10;
    return made;
}

int main(void) {
    pthread_t t, u;
    x = open_account(1);
    y = open_account(2);
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
