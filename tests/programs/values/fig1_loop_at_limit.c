// [TX, Fig. 1], two functions that take pages and give them back: one thread of each kind, beginning at the limit; the wait is repeated as long as there is need.
#include <pthread.h>
#include <stdatomic.h>

extern _Bool __VERIFIER_nondet_bool(void);

#define LIMIT 3
static pthread_mutex_t plk = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pg_lim = PTHREAD_COND_INITIALIZER;
static atomic_int pg_count = LIMIT;
static int c, sh, sh1;

static void *Alloc_Page(void *arg) {
    int a = c;
    pthread_mutex_lock(&plk);
    if (pg_count >= LIMIT) {
        while (pg_count >= LIMIT)
            pthread_cond_wait(&pg_lim, &plk);
        pg_count++;
        pthread_mutex_unlock(&plk);
        sh1 = sh;                               // no-race alarm(lockset): the page counter keeps the branches apart
    } else {
        pthread_mutex_lock(&count_lock);
        pthread_mutex_unlock(&plk);
        int page = __VERIFIER_nondet_bool();
        sh = 5;                                 // no-race alarm(lockset): the page counter keeps the branches apart
        if (page)
            pg_count++;
        pthread_mutex_unlock(&count_lock);
    }
    int b = a + 1;
    return b > 0 ? arg : NULL;
}

static void *Dealloc_Page(void *arg) {
    pthread_mutex_lock(&plk);
    if (pg_count == LIMIT) {
        sh = 2;                                 // no-race alarm(lockset): the page counter keeps the branches apart
        pg_count--;
        sh1 = sh;                               // no-race alarm(lockset): the page counter keeps the branches apart
        pthread_cond_broadcast(&pg_lim);
        pthread_mutex_unlock(&plk);
    } else {
        pthread_mutex_lock(&count_lock);
        pthread_mutex_unlock(&plk);
        pg_count--;
        sh = 4;                                 // no-race alarm(lockset): the page counter keeps the branches apart
        pthread_mutex_unlock(&count_lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, Alloc_Page, NULL);
    pthread_create(&b, NULL, Dealloc_Page, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
