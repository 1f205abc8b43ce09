// The comparison function puts a node back that its caller goes on using.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int number;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;
static _Thread_local struct node *mine;

static int compare(const void *a, const void *b) {
    pthread_mutex_lock(&m);
    head = mine;
    pthread_mutex_unlock(&m);
    return *(const int *)a - *(const int *)b;
}

static void *worker(void *arg) {
    int numbers[] = {2, 1};
    pthread_mutex_lock(&m);
    mine = head;
    head = NULL;
    pthread_mutex_unlock(&m);
    if (mine == NULL)
        return arg;
    qsort(numbers, 2, sizeof *numbers, compare);
    mine->number++; // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        return 1;
    node->next = NULL;
    node->number = 0;
    head = node;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
