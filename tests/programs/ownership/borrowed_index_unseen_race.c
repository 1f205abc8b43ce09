// As borrowed_index_helpers, but another bit is looked at than the one that is taken.
#include <pthread.h>
#include <strings.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int is_free = 7, cell[N + 1];

static int borrow(void) {
    int found = -1;
    pthread_mutex_lock(&m);
    for (int i = 0; i < N; i++)
        if (is_free & (1 << (N - 1 - i))) {      // no-race
            is_free &= ~(1 << i);                // no-race
            found = i;
            break;
        }
    pthread_mutex_unlock(&m);
    return found;
}

static void give_back(int number) {
    pthread_mutex_lock(&m);
    is_free |= 1 << number;                      // no-race
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    int mine = (int)(long)arg;
    mine = borrow();
    if (mine >= 0) {
        cell[mine] = 1;                          // race
        give_back(mine);
    }
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        pthread_create(&t[i], NULL, worker, NULL);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] == 1 ? 0 : 1;                 // no-race
}
