// [TX, Fig. 1], two functions that take pages and give them back: two threads of each kind, beginning one below the limit.
#include <pthread.h>
#include <stdatomic.h>

extern _Bool __VERIFIER_nondet_bool(void);

#define LIMIT 3
static pthread_mutex_t plk = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pg_lim = PTHREAD_COND_INITIALIZER;
static atomic_int pg_count = LIMIT - 1;
static int c, sh, sh1;

static void *Alloc_Page(void *arg) {
    int a = c;
    pthread_mutex_lock(&plk);
    if (pg_count >= LIMIT) {
        pthread_cond_wait(&pg_lim, &plk);
        pg_count++;
        pthread_mutex_unlock(&plk);
        sh1 = sh;                               // race
    } else {
        pthread_mutex_lock(&count_lock);
        pthread_mutex_unlock(&plk);
        int page = __VERIFIER_nondet_bool();
        sh = 5;                                 // race
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
        sh = 2;                                 // race
        pg_count--;
        sh1 = sh;                               // race
        pthread_cond_broadcast(&pg_lim);
        pthread_mutex_unlock(&plk);
    } else {
        pthread_mutex_lock(&count_lock);
        pthread_mutex_unlock(&plk);
        pg_count--;
        sh = 4;                                 // race
        pthread_mutex_unlock(&count_lock);
    }
    return arg;
}

int main(void) {
    pthread_t a[2], b[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&a[i], NULL, Alloc_Page, NULL);
        pthread_create(&b[i], NULL, Dealloc_Page, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(b[i], NULL);
        pthread_join(a[i], NULL);
    }
    return 0;
}
