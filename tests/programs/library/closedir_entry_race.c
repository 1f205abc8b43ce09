// closedir frees the entry that another thread still reads.
#include <dirent.h>
#include <pthread.h>

static DIR *directory;
static struct dirent *entry;
static unsigned long number;

static void *first(void *arg) {
    number = entry ? entry->d_ino : 0;         // race missed(explore): the entry is the library's
    return arg;
}

static void *second(void *arg) {
    closedir(directory);                       // race missed(explore): the entry is the library's
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
