// Fetches a file in segments, a thread for each, block by block; a thread adds up its own segment, and what all have
// is counted under one lock. THREADS counts main, too. With an argument the file of that name is the source, otherwise
// a text in memory.
#include <pthread.h>
#include <stdio.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef BLOCKS
#define BLOCKS 7
#endif
#define SEGMENTS (THREADS - 1)
#define BLOCK 16
#define LENGTH (SEGMENTS * BLOCKS * BLOCK)

struct segment {
    long offset, length;
};

static const char *source_name;
static struct segment segments[SEGMENTS];
static pthread_mutex_t written_lock = PTHREAD_MUTEX_INITIALIZER;
static long written;
static int finished;
static unsigned total;

static void fetch(FILE *source, long offset, char *block) {
    if (source == NULL || fseek(source, offset, SEEK_SET) != 0 || fread(block, 1, BLOCK, source) != BLOCK)
        for (int i = 0; i < BLOCK; i++)
            block[i] = (char)('a' + (offset + i) % 26);
}

static void *worker(void *arg) {
    struct segment *segment = arg;
    FILE *source = source_name != NULL ? fopen(source_name, "rb") : NULL;
    unsigned sum = 0;
    for (long done = 0; done < segment->length; done += BLOCK) {
        char block[BLOCK];
        fetch(source, segment->offset + done, block);
        for (int i = 0; i < BLOCK; i++)
            sum += (unsigned char)block[i];
        pthread_mutex_lock(&written_lock);
        written += BLOCK;
        if (done + BLOCK == segment->length) {
            finished++;
            total += sum;
        }
        pthread_mutex_unlock(&written_lock);
    }
    if (source != NULL)
        fclose(source);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[SEGMENTS];
    int is_whole;
    source_name = argc > 1 ? argv[1] : NULL;
    for (int i = 0; i < SEGMENTS; i++) {
        segments[i].offset = (long)i * BLOCKS * BLOCK;
        segments[i].length = BLOCKS * BLOCK;
    }
    for (int i = 0; i < SEGMENTS; i++)
        pthread_create(&threads[i], NULL, worker, &segments[i]);
    for (int i = 0; i < SEGMENTS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&written_lock);
    printf("%ld bytes in %d segments, sum %u\n", written, finished, total);
    is_whole = written == LENGTH;
    pthread_mutex_unlock(&written_lock);
    return is_whole ? 0 : 1;
}
