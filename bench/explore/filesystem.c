// N threads give each of N inodes a block of 26, with a lock for each inode and block: 2^(N - 13) traces.
#include <pthread.h>

#ifndef N
#define N 21
#endif
#define INODES 32
#define BLOCKS 26

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static void *worker(void *arg) {
    int i = (int)(long)arg % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int b = i * 2 % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&block_lock[b]);
                break;
            }
            pthread_mutex_unlock(&block_lock[b]);
            b = (b + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_lock[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_lock[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
