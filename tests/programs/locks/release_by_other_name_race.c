// `change` is entered with the lock of p. For nodes of `seconds` that is the lock that `release` gives back: what was
// found out about `change` for nodes of `firsts` does not hold for them.
#include <pthread.h>

struct node {
  pthread_mutex_t m;
  int x;
};

#define NODE {PTHREAD_MUTEX_INITIALIZER, 0}
static struct node a0 = NODE, a1 = NODE, a2 = NODE, a3 = NODE, a4 = NODE;
static struct node b0 = NODE, b1 = NODE, b2 = NODE, b3 = NODE, b4 = NODE;
static struct node *firsts[] = {&a0, &a1, &a2, &a3, &a4};
static struct node *seconds[] = {&b0, &b1, &b2, &b3, &b4};

static void release(int k) { pthread_mutex_unlock(&seconds[k]->m); }

static void change(struct node *p, int k) {
  release(k);
  p->x++;  // race
}

static void *work(void *arg) {
  int k = *(int *)arg / 4;
  if (*(int *)arg % 2) {
    struct node *p = seconds[k];
    pthread_mutex_lock(&p->m);
    change(p, k);
  } else {
    struct node *p = firsts[k];
    pthread_mutex_lock(&p->m);
    pthread_mutex_lock(&seconds[k]->m);
    change(p, k);
    pthread_mutex_unlock(&p->m);
  }
  return 0;
}

int main(void) {
  static int numbers[] = {0, 1, 2, 3};
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, &numbers[i]);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
