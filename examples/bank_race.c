/* A bank with two tellers. deposit() takes the lock; the monthly report does
 * not: it may read a balance that a teller is just changing. A data race. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define TELLERS 2
#define CUSTOMERS 100

struct account {
    pthread_mutex_t lock;
    long balance;
    int deposits;
};

static struct account account = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void deposit(struct account *to, long amount)
{
    pthread_mutex_lock(&to->lock);
    to->balance += amount;
    to->deposits++;
    pthread_mutex_unlock(&to->lock);
}

static void *teller(void *unused)
{
    (void)unused;
    for (int customer = 0; customer < CUSTOMERS; customer++)
        deposit(&account, customer);
    return NULL;
}

static void print_report(void)
{
    printf("balance: %ld\n", account.balance); /* no lock: the race */
}

int main(void)
{
    pthread_t tellers[TELLERS];
    for (int i = 0; i < TELLERS; i++)
        if (pthread_create(&tellers[i], NULL, teller, NULL) != 0)
            abort();
    print_report();
    for (int i = 0; i < TELLERS; i++)
        pthread_join(tellers[i], NULL);
    printf("%d deposits\n", account.deposits);
    return 0;
}
