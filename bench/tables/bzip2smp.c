// Compresses a text block by block with THREADS workers: each takes the next block under a lock, compresses it by
// itself, and waits for its turn to write it. With MANY every byte goes through accounts under the output lock.
#include <pthread.h>
#include <stdio.h>

#ifndef THREADS
#define THREADS 4
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#define SIZE 32

static char input[BLOCKS * SIZE], output[BLOCKS * 2 * SIZE];
static int next_block, taken_by_first;
static int turn, output_length, runs, written_blocks;
static int progress;
static int histogram[4];
static pthread_mutex_t input_lock = PTHREAD_MUTEX_INITIALIZER, output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t progress_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;

static int take(long id, char *block) {
    int number = -1;
    pthread_mutex_lock(&input_lock);
    if (next_block < BLOCKS) {
        number = next_block++;
        taken_by_first += id == 0;
        for (int i = 0; i < SIZE; i++)
            block[i] = input[number * SIZE + i];
    }
    pthread_mutex_unlock(&input_lock);
    return number;
}

static int compress(const char *block, char *packed) {
    int length = 0;
    for (int i = 0; i < SIZE;) {
        int run = 1;
        while (i + run < SIZE && block[i + run] == block[i])
            run++;
        packed[length++] = (char)run;
        packed[length++] = block[i];
        i += run;
    }
    return length;
}

static void write_out(int number, const char *packed, int length) {
    pthread_mutex_lock(&output_lock);
    while (turn != number)
        pthread_cond_wait(&turned, &output_lock);
    for (int i = 0; i < length; i++) {
#ifdef MANY
        histogram[packed[i] & 3]++;
        output_length++;
        output[output_length - 1] = packed[i];
#else
        output[output_length + i] = packed[i];
#endif
    }
#ifndef MANY
    output_length += length;
    histogram[0]++;
#endif
    runs += length / 2;
    written_blocks++;
    turn++;
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&output_lock);
}

static void *worker(void *arg) {
    char block[SIZE], packed[2 * SIZE];
    int number;
    while ((number = take((long)arg, block)) >= 0) {
        int length = compress(block, packed);
        write_out(number, packed, length);
        pthread_mutex_lock(&progress_lock);
        progress += length;
        pthread_mutex_unlock(&progress_lock);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int is_whole;
    for (int i = 0; i < BLOCKS * SIZE; i++)
        input[i] = (char)('a' + (i / 5) % 3);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&output_lock);
    printf("%d blocks, %d bytes of %d, %d runs\n", written_blocks, output_length, BLOCKS * SIZE, runs);
    pthread_mutex_lock(&progress_lock);
    is_whole = progress == output_length;
    pthread_mutex_unlock(&progress_lock);
    pthread_mutex_unlock(&output_lock);
    return is_whole ? 0 : 1;
}
