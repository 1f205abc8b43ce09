/* threads.h: threads as the runtime does them; pthread.c and c11.c are covers of these. */
#ifndef THREADS_H
#define THREADS_H

#include "sched.h"

/* _pthread_cleanup_push of musl, and our own list. */
struct cleanup {
    void (*routine)(void *);
    void *argument;
    struct cleanup *next;
};

void threads_reset(void);
void thread_forget(struct thread *t); /* its id is given to another one */
void creation_step(const char *what); /* before a thread is created: others see it */
void yield_step(void);
_Noreturn void thread_exit(void *result);
int thread_cancel(struct thread *t);
/* Do something to a thread, or look whether it has ended: the search must see when, and the search begins anew if it
 * began without the cancellation points and the ends of threads. */
void thread_meddle(struct thread *t, const char *what);
int thread_join(struct thread *t, bool waits);
int thread_detach(struct thread *t); /* as pthread_detach returns */
struct thread *thread_by_handle(uintptr_t handle);
static inline uintptr_t thread_handle(const struct thread *t) { return (uintptr_t)t->tid + 1; }
int key_create(uint32_t *key, void (*destructor)(void *));
int key_delete(uint32_t key);
int key_set(uint32_t key, const void *value);
void *key_get(uint32_t key);

#endif
