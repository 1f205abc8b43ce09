// closedir under the lock under which the entry is read, which is gone then.
#include <dirent.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static DIR *directory;
static struct dirent *entry;
static unsigned long number;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    number = entry ? entry->d_ino : 0;         // no-race alarm(explore): the entry is the library's
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    closedir(directory);                       // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    directory = opendir("/");
    entry = readdir(directory);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
