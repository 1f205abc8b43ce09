// glob calls the functions that it finds in its structure; they lock.
#define _GNU_SOURCE
#include <dirent.h>
#include <glob.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *open_it(const char *name)
{
    (void)name;
    pthread_mutex_lock(&lock);
    shared++; // no-race
    pthread_mutex_unlock(&lock);
    return NULL;
}

static struct dirent *read_it(void *directory)
{
    (void)directory;
    return NULL;
}

static void close_it(void *directory) { (void)directory; }

static int look_at_it(const char *name, struct stat *found)
{
    (void)name, (void)found;
    return -1;
}

static void *first(void *arg)
{
    glob_t found;
    memset(&found, 0, sizeof found);
    found.gl_opendir = open_it;
    found.gl_readdir = (void *)read_it;
    found.gl_closedir = close_it;
    found.gl_stat = look_at_it;
    found.gl_lstat = look_at_it;
    glob("*", GLOB_ALTDIRFUNC, NULL, &found);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&lock);
    shared++; // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
