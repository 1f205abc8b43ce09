// A table of lists with a lock each: what tells which one it is remembers how often it was asked, and tells another.
#include <pthread.h>
#include <stdlib.h>

struct entry {
    int key, value;
    struct entry *next;
};

static struct {
    pthread_mutex_t lock;
    struct entry *first;
} table[2] = {{PTHREAD_MUTEX_INITIALIZER, NULL}, {PTHREAD_MUTEX_INITIALIZER, NULL}};
static _Thread_local int asked;

static int mixed(int key) {
    return key * 3 + asked++;                           // no-race
}

static int place(int key) {
    if (key < 0)
        return 0;
    return mixed(key) % 2;
}

static struct entry *find(int key) {
    struct entry *e = table[place(key)].first;          // race
    while (e != NULL && e->key != key)                  // race
        e = e->next;                                    // race
    return e;
}

static void count(int key) {
    int at = place(key);
    pthread_mutex_lock(&table[at].lock);
    struct entry *e = find(key);
    if (e == NULL) {
        e = calloc(1, sizeof *e);                       // race
        e->key = key;                                   // race
        e->next = table[at].first;                      // race
        table[at].first = e;                            // race
    }
    e->value++;
    pthread_mutex_unlock(&table[at].lock);
}

static void *worker(void *arg) {
    count((int)(long)arg);
    count(1);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
