/* Two threads look through the lines of standard input for the longest one. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 8, LENGTH = 80 };

static char lines[MOST_LINES][LENGTH];
static int count;
static int longest; /* the length of the longest line so far */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *argument)
{
    int first = *(int *)argument; /* this one, and every second line after it */
    for (int i = first; i < count; i += 2) {
        int length = (int)strlen(lines[i]);
        pthread_mutex_lock(&lock);
        if (length > longest)
            longest = length;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int first[2] = {0, 1};
    while (count < MOST_LINES && fgets(lines[count], LENGTH, stdin))
        count++;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, look, &first[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", longest);
    return 0;
}
