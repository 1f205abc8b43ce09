/* A lock in each heap object protects the fields of the same object. */
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    long balance;
    struct account *next;
};

static struct account *accounts;

static void *teller(void *unused)
{
    for (struct account *a = accounts; a != NULL; a = a->next) {
        pthread_mutex_lock(&a->lock);
        a->balance += 10;
        pthread_mutex_unlock(&a->lock);
    }
    return unused;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct account *a = malloc(sizeof *a);
        pthread_mutex_init(&a->lock, NULL);
        a->balance = 0;
        a->next = accounts;
        accounts = a;
    }
    pthread_t one, two;
    pthread_create(&one, NULL, teller, NULL);
    pthread_create(&two, NULL, teller, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
