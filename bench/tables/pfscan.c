// Searches "files" for a word: main walks the directory and queues paths, THREADS - 1 threads take and search them.
// The queue is bounded and has a mutex and two conditions; results, output and the log have locks of their own.
// With BUG the last thread to finish is found without the lock.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef FILES
#define FILES 4
#endif
#define WORKERS (THREADS - 1 > 0 ? THREADS - 1 : 1)
#define PLACES 2

struct file {
    const char *path, *text;
};

static const struct file directory[] = {
    {"a/readme", "how to find a needle in a haystack"},
    {"a/empty", ""},
    {"b/notes", "a needle, and another needle"},
    {"b/list", "hay, hay, hay"},
    {"c/last", "the last needle"},
    {"c/more", "no more"},
};

static const char needle[] = "needle";

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, match_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t byte_lock = PTHREAD_MUTEX_INITIALIZER, active_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static const struct file *queue[PLACES];
static int head, count, closed;
static int matches, files_matched;
static long bytes;
static int active, peak;

static void put(const struct file *file) {
    pthread_mutex_lock(&queue_lock);
    while (count == PLACES)
        pthread_cond_wait(&not_full, &queue_lock);
    queue[(head + count) % PLACES] = file;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&queue_lock);
}

static const struct file *take(void) {
    const struct file *file = NULL;
    pthread_mutex_lock(&queue_lock);
    while (count == 0 && !closed)
        pthread_cond_wait(&not_empty, &queue_lock);
    if (count > 0) {
        file = queue[head];
        head = (head + 1) % PLACES;
        count--;
        pthread_cond_signal(&not_full);
    }
    pthread_mutex_unlock(&queue_lock);
    return file;
}

static void finish(void) {
    pthread_mutex_lock(&queue_lock);
    closed = 1;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&queue_lock);
}

static int search(const char *text) {
    int found = 0;
    for (const char *at = text; *at != '\0'; at++)
        if (strncmp(at, needle, sizeof needle - 1) == 0)
            found++;
    return found;
}

static void scan(const struct file *file) {
    int found = search(file->text);
    pthread_mutex_lock(&byte_lock);
    bytes += (long)strlen(file->text);
    pthread_mutex_unlock(&byte_lock);
    if (found > 0) {
        pthread_mutex_lock(&match_lock);
        matches += found;
        files_matched++;
        pthread_mutex_unlock(&match_lock);
    }
}

static void *worker(void *arg) {
    const struct file *file;
    pthread_mutex_lock(&active_lock);
    active++;
    if (active > peak)
        peak = active;
    pthread_mutex_unlock(&active_lock);
    while ((file = take()) != NULL)
        scan(file);
#ifdef BUG
    active--;
#else
    pthread_mutex_lock(&active_lock);
    active--;
    pthread_mutex_unlock(&active_lock);
#endif
    return arg;
}

static void report(void) {
    pthread_mutex_lock(&match_lock);
    printf("%d matches in %d files, ", matches, files_matched);
    pthread_mutex_unlock(&match_lock);
    pthread_mutex_lock(&byte_lock);
    printf("%ld bytes\n", bytes);
    pthread_mutex_unlock(&byte_lock);
}

int main(void) {
    pthread_t threads[WORKERS];
    int still;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < FILES; i++)
        put(&directory[i]);
    finish();
    pthread_mutex_lock(&active_lock);
    still = active;
    pthread_mutex_unlock(&active_lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    report();
    return still <= WORKERS ? 0 : 1;
}
