"""Ways in which C programs share memory, as templates: mostly right, a little wrong now and then.

A template is the text of global declarations and functions, then parts of `main` under headings `-- setup`,
`-- create`, `-- middle`, `-- join`, `-- end`. In the text

    @            is the number of the idiom in the program, so that names do not clash
    «a¦b¦c»      is a, which is right, or sometimes b or c, which may be wrong
    ‹a¦b¦c›      is any of them
    ‹n:a¦b›      is any of them, and ‹=n› later is the same one

and LOCK, UNLOCK, SPAWN, JOIN, ALOAD, ASTORE, RLX, ACQ, REL, AR, SEQ stand for what the library calls them.
"""

from __future__ import annotations

import re
from typing import Final

# -- locks by name, in arrays, in structures, through pointers and wrappers

PLAIN_LOCK = """
int x@; int y@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *p) {
  LOCK(«&m@¦&n@»);
  ‹x@++¦x@ = 1¦y@ = x@›;
  «;¦return NULL;»
  UNLOCK(«&m@¦&n@»);
  «;¦y@ = 3;»
  return NULL;
}
void *g@(void *p) {
  ‹LOCK(&n@);¦;›
  LOCK(«&m@¦&n@»);
  ‹x@ = 2¦y@ = x@¦x@--›;
  UNLOCK(«&m@¦&n@»);
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
‹LOCK(&m@); x@ += 2; UNLOCK(&m@);¦;›
-- join
JOIN(a@);
JOIN(«b@¦a@»);
-- end
x@ = y@;
"""

LOCK_IN_STRUCT = """
struct S@ { int data; pthread_mutex_t lock; int other; ‹struct S@ *next;¦› };
struct S@ s@[2] = {{0, PTHREAD_MUTEX_INITIALIZER, 0}, {0, PTHREAD_MUTEX_INITIALIZER, 0}};
struct S@ *gp@ = &s@[0];
void take@(struct S@ *p) { LOCK(&p->lock); }
void give@(struct S@ *p) { UNLOCK(&p->lock); }
void touch@(struct S@ *p) { p->‹data¦other›++; }
void bump@(struct S@ *p, struct S@ *q) {
  ‹take@(p);¦LOCK(&p->lock);›
  «p¦q»->data++;
  ‹touch@(«p¦q»);¦;›
  ‹give@(p);¦UNLOCK(&p->lock);›
}
void *f@(void *arg) {
  struct S@ *p = arg;
  bump@(p, &s@[«0¦1»]);
  return NULL;
}
void *g@(void *arg) {
  struct S@ *p = ‹gp@¦&s@[0]¦&s@[1]›;
  bump@(p, ‹gp@¦p›);
  ‹;¦LOCK(&gp@->lock); gp@->data = 3; UNLOCK(&gp@->lock);›
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, &s@[‹0¦1›]);
SPAWN(&b@, ‹f@¦g@›, &s@[‹0¦1›]);
-- middle
«;¦gp@ = &s@[1];»
-- join
JOIN(a@);
«JOIN(b@);¦»
-- end
s@[0].data = s@[1].data;
"""

LOCK_ARRAY = """
pthread_mutex_t locks@[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int cell@[3]; int pick@;
int slot@(int k) { return ‹k % 2¦k & 1›; }
void *f@(void *arg) {
  long i = (long)arg;
  LOCK(&locks@[«i¦0¦1 - i¦pick@»]);
  cell@[‹i¦0¦1›]++;
  UNLOCK(&locks@[«i¦0»]);
  return NULL;
}
void *g@(void *arg) {
  int k = ‹pick@¦(int)(long)arg¦1›;
  LOCK(&locks@[slot@(k)]);
  cell@[«slot@(k)¦k¦pick@»] = 5;
  UNLOCK(&locks@[slot@(k)]);
  return NULL;
}
-- setup
pthread_t a@, b@;
pick@ = ‹0¦1¦2¦__VERIFIER_nondet_int() & 1›;
-- create
SPAWN(&a@, f@, (void *)‹0L¦1L›);
SPAWN(&b@, ‹f@¦g@›, (void *)‹0L¦1L¦2L›);
-- middle
«;¦pick@ = 1;»
LOCK(&locks@[‹0¦1›]);
cell@[‹0¦1›] = 7;
UNLOCK(&locks@[‹0¦1›]);
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

HEAP_OBJECT = """
struct N@ { int v; pthread_mutex_t lock; struct N@ *next; };
struct N@ *head@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int total@;
struct N@ *make@(int v) {
  struct N@ *n = malloc(sizeof *n);
  n->v = v;
  n->next = NULL;
  pthread_mutex_init(&n->lock, NULL);
  return n;
}
void push@(int v) {
  struct N@ *n = make@(v);
  LOCK(&m@);
  n->next = head@;
  head@ = n;
  «;¦n->v++;»
  UNLOCK(&m@);
  «;¦n->v++;¦n->v = n->next != NULL;»
}
void *f@(void *arg) {
  push@(1);
  ‹push@(2);¦;›
  return NULL;
}
void *g@(void *arg) {
  LOCK(&m@);
  struct N@ *p = head@;
  «;¦UNLOCK(&m@); LOCK(&m@);¦UNLOCK(&m@);»
  if (p) {
    ‹head@ = p->next;¦;›
    p->v++;
  }
  UNLOCK(&m@);
  if (p) {
    ‹;¦LOCK(&p->lock); p->v++; UNLOCK(&p->lock);¦p->v--;¦free(p);›
  }
  return NULL;
}
-- setup
pthread_t a@, b@;
‹head@ = make@(0);¦;›
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
‹LOCK(&m@); if (head@) head@->v = 9; UNLOCK(&m@);¦;›
-- join
JOIN(a@);
JOIN(b@);
-- end
if (head@) total@ = head@->v;
"""

HAND_OVER_HAND = """
struct N@ { int v; pthread_mutex_t lock; struct N@ *next; };
struct N@ n2@ = {0, PTHREAD_MUTEX_INITIALIZER, NULL};
struct N@ n1@ = {0, PTHREAD_MUTEX_INITIALIZER, &n2@};
struct N@ n0@ = {0, PTHREAD_MUTEX_INITIALIZER, &n1@};
void *walk@(void *arg) {
  struct N@ *p = &n0@;
  LOCK(&p->lock);
  while (p->next) {
    struct N@ *q = p->next;
    «LOCK(&q->lock);¦»
    «UNLOCK(&p->lock);¦p->v++; UNLOCK(&p->lock);¦UNLOCK(&p->lock); p->v++;»
    p = q;
    ‹p->v++;¦;›
  }
  p->v++;
  UNLOCK(&p->lock);
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, walk@, NULL);
SPAWN(&b@, walk@, NULL);
-- middle
‹LOCK(&n1@.lock); n1@.v = 1; UNLOCK(&n1@.lock);¦;›
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

CONDITIONAL_LOCK = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int x@; int flag@ = ‹1¦0›; _Thread_local int mine@ = ‹1¦0›;
int helper@(int c) { «;¦flag@ = !flag@;¦mine@ = !mine@;» return c; }
void *f@(void *arg) {
  int c = ‹flag@¦mine@¦(arg != NULL)¦__VERIFIER_nondet_int()›;
  if («c¦!c») LOCK(&m@);
  «;¦c = !c;¦c = helper@(c);¦c = 0;»
  if (c) x@++;
  if («c¦flag@¦1») UNLOCK(&m@);
  return NULL;
}
void *g@(void *arg) {
  if (‹flag@¦mine@›) LOCK(&m@);
  «;¦flag@ = 1;¦mine@ = 1;¦helper@(1);»
  if (‹flag@¦mine@›) x@ = 2;
  if (‹flag@¦mine@›) UNLOCK(&m@);
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, ‹NULL¦&x@›);
SPAWN(&b@, ‹f@¦g@›, ‹NULL¦&x@›);
-- middle
«;¦flag@ = 0;¦LOCK(&m@); x@ = 3; UNLOCK(&m@);»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

TRY_LOCK = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int x@; int misses@;
int try@(pthread_mutex_t *p) { ‹return pthread_mutex_trylock(p);¦int r = pthread_mutex_trylock(p); return r;¦return !pthread_mutex_trylock(p) ? 0 : -1;› }
void *f@(void *arg) {
  if (‹pthread_mutex_trylock(&m@)¦try@(&m@)› «==¦!=» 0) {
    x@++;
    UNLOCK(&m@);
    «;¦x@ = 3;»
  }
  return NULL;
}
void *g@(void *arg) {
  int r = pthread_mutex_trylock(&m@);
  «if (r) return NULL;¦if (!r) return NULL;¦;¦if (r) LOCK(&m@);¦if (r > 1) return NULL;»
  x@ = 5;
  UNLOCK(&m@);
  return NULL;
}
void *h@(void *arg) {
  int i;
  for (i = 0; i < 2; i++) {
    if (pthread_mutex_trylock(&m@)) «continue¦break¦;»;
    x@++;
    UNLOCK(&m@);
    ‹break;¦;›
  }
  «;¦if (i < 2) x@--;»
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, ‹f@¦g@¦h@›, NULL);
SPAWN(&b@, ‹f@¦g@¦h@›, NULL);
-- middle
LOCK(&m@); x@ = 1; UNLOCK(&m@);
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

STATUS_CODE = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int x@; int closed@;
int begin@(int c) {
  LOCK(&m@);
  if (‹closed@¦c¦x@ > 5›) {
    «UNLOCK(&m@);¦»
    return «-1¦0»;
  }
  return «0¦1»;
}
void end@(void) { UNLOCK(&m@); }
void *f@(void *arg) {
  if (begin@(‹arg != NULL¦__VERIFIER_nondet_int()¦0›) «<¦>¦!=» 0) ‹return NULL;¦goto out;›
  x@++;
  end@();
out:
  «;¦x@ = 2;»
  return NULL;
}
void *g@(void *arg) {
  int r = begin@(0);
  switch (r) {
    case 0:
      x@ = 4;
      «;¦if (x@ > 6) break;»
      «end@();¦»
      break;
    «case -1: break;¦case -1: x@ = 1; break;»
    default: break;
  }
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, ‹NULL¦&x@›);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
‹LOCK(&m@); closed@ = 1; UNLOCK(&m@);¦;›
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

READ_WRITE_LOCK = """
pthread_rwlock_t rw@ = PTHREAD_RWLOCK_INITIALIZER; int x@; int y@;
void *f@(void *arg) {
  pthread_rwlock_«wrlock¦rdlock»(&rw@);
  x@++;
  pthread_rwlock_unlock(&rw@);
  return NULL;
}
void *g@(void *arg) {
  pthread_rwlock_‹rdlock¦wrlock›(&rw@);
  ‹int r = x@;¦;›
  «;¦y@ = 1;»
  pthread_rwlock_unlock(&rw@);
  ‹pthread_rwlock_rdlock(&rw@); int s = x@ + y@; pthread_rwlock_unlock(&rw@);¦;›
  return NULL;
}
void *h@(void *arg) {
  if (pthread_rwlock_‹tryrdlock¦trywrlock›(&rw@) «==¦!=» 0) {
    int r = x@;
    «;¦x@ = r + 1;»
    pthread_rwlock_unlock(&rw@);
  }
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, ‹f@¦g@¦h@›, NULL);
SPAWN(&b@, ‹f@¦g@¦h@›, NULL);
-- middle
pthread_rwlock_‹rdlock¦wrlock›(&rw@);
«int v@ = x@;¦x@ = 4;»
pthread_rwlock_unlock(&rw@);
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

RECURSIVE_LOCK = """
pthread_mutex_t m@ ‹k:= PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP¦›; int x@;
void inner@(int n) {
  LOCK(&m@);
  x@++;
  if (n > 0) inner@(n - 1);
  UNLOCK(&m@);
  «;¦UNLOCK(&m@);»
}
void *f@(void *arg) {
  LOCK(&m@);
  inner@(‹0¦1¦2›);
  x@ = 3;
  «UNLOCK(&m@);¦UNLOCK(&m@); x@ = 4;¦UNLOCK(&m@); UNLOCK(&m@);»
  return NULL;
}
void *g@(void *arg) {
  LOCK(&m@);
  LOCK(&m@);
  ‹UNLOCK(&m@); x@ = 8;¦x@ = 8; UNLOCK(&m@);¦UNLOCK(&m@);›
  UNLOCK(&m@);
  «;¦x@ = 9;»
  return NULL;
}
-- setup
pthread_t a@, b@;
pthread_mutexattr_t ma@;
pthread_mutexattr_init(&ma@);
pthread_mutexattr_settype(&ma@, «PTHREAD_MUTEX_RECURSIVE¦2»);
pthread_mutex_init(&m@, &ma@);
-- create
SPAWN(&a@, ‹f@¦g@›, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

LOCK_POINTER = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t *lp@ = &m@; int x@;
pthread_mutex_t *which@(int k) { return ‹k ? &n@ : &m@¦lp@¦k == 2 ? lp@ : &m@›; }
void *f@(void *arg) {
  pthread_mutex_t *p = ‹lp@¦which@(0)¦which@(arg != NULL)¦arg ? arg : &m@›;
  LOCK(p);
  x@++;
  «;¦p = &n@;¦p = lp@;»
  UNLOCK(p);
  return NULL;
}
void *g@(void *arg) {
  LOCK(«lp@¦&m@¦&n@»);
  x@ = 2;
  UNLOCK(«lp@¦&m@¦&n@»);
  return NULL;
}
-- setup
pthread_t a@, b@;
‹lp@ = &n@;¦;›
-- create
SPAWN(&a@, f@, ‹NULL¦&n@›);
«;¦lp@ = &m@;»
SPAWN(&b@, ‹f@¦g@›, ‹NULL¦&n@›);
-- middle
«;¦lp@ = &n@;»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""


FLAG_SPIN = """
atomic_flag l@ = ATOMIC_FLAG_INIT; int x@;
void take@(void) { while (atomic_flag_test_and_set_explicit(&l@, «ACQ¦RLX¦SEQ¦AR»)) ; }
void give@(void) { atomic_flag_clear_explicit(&l@, «REL¦RLX¦SEQ»); }
void *f@(void *arg) {
  take@();
  x@++;
  give@();
  «;¦x@ = 3;¦give@();»
  return NULL;
}
void *g@(void *arg) {
  if (!atomic_flag_test_and_set_explicit(&l@, «ACQ¦RLX¦SEQ»)) {
    x@ = 2;
    atomic_flag_clear_explicit(&l@, REL);
  } «¦else x@ = 7;»
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, ‹f@¦g@›, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
«;¦atomic_flag_clear_explicit(&l@, REL);¦take@(); x@ = 4; give@();»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

WORD_SPIN = """
atomic_int l@ = «0¦1»; int x@;
void take@(void) {
  ‹while (atomic_exchange_explicit(&l@, «1¦0», «ACQ¦RLX¦SEQ»)) ;¦int e = 0; while (!atomic_compare_exchange_strong_explicit(&l@, &e, «1¦0», «ACQ¦RLX¦AR», RLX)) e = «0¦1»;¦int e; do e = 0; while (!atomic_compare_exchange_weak_explicit(&l@, &e, 1, ACQ, RLX));¦while (atomic_fetch_add_explicit(&l@, 1, ACQ)) atomic_fetch_add_explicit(&l@, -1, RLX);›
}
void give@(void) { ‹ASTORE(&l@, 0, «REL¦RLX¦SEQ»);¦atomic_exchange_explicit(&l@, 0, «REL¦RLX»);¦atomic_fetch_add_explicit(&l@, -1, REL);› }
void *f@(void *arg) {
  take@();
  x@++;
  give@();
  return NULL;
}
void *g@(void *arg) {
  take@();
  x@ = 2;
  «;¦if (x@ == 1) return NULL;»
  give@();
  «;¦x@ = 3;»
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, ‹f@¦g@›, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
«;¦ASTORE(&l@, 0, REL);¦ASTORE(&l@, 1, REL);¦if (ALOAD(&l@, ACQ) == 0) x@ = 5;»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

# -- semaphores

SEMAPHORE_MUTEX = """
sem_t s@; int x@;
void *f@(void *arg) {
  sem_wait(&s@);
  x@++;
  sem_post(&s@);
  «;¦sem_post(&s@);¦x@ = 3;»
  return NULL;
}
void *g@(void *arg) {
  if (sem_trywait(&s@) «==¦!=» 0) {
    x@ = 2;
    sem_post(&s@);
  }
  return NULL;
}
-- setup
pthread_t a@, b@;
sem_init(&s@, 0, «1¦2¦0»);
-- create
SPAWN(&a@, ‹f@¦g@›, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
«;¦sem_post(&s@);¦sem_wait(&s@); x@ = 5; sem_post(&s@);¦sem_init(&s@, 0, 1);»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

SEMAPHORE_SIGNAL = """
sem_t s@; sem_t t@; int x@; int y@;
void *f@(void *arg) {
  x@ = 1;
  sem_post(&s@);
  «;¦x@ = 2;»
  ‹sem_wait(&t@); x@ = 3;¦;›
  return NULL;
}
void *g@(void *arg) {
  «sem_wait(&s@);¦sem_trywait(&s@);¦;¦if (sem_trywait(&s@)) return NULL;»
  x@++;
  «sem_post(&t@);¦sem_post(&t@); x@ = 9;»
  return NULL;
}
-- setup
pthread_t a@, b@;
sem_init(&s@, 0, «0¦1»);
sem_init(&t@, 0, «0¦1»);
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹g@¦g@¦f@›, NULL);
-- middle
«;¦sem_post(&s@);¦sem_wait(&s@); x@ = 4; sem_post(&s@);»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

# -- barriers, once, conditions, flags

BARRIER = """
pthread_barrier_t b@; int x@; int y@[3];
void *f@(void *arg) {
  long i = (long)arg;
  y@[i] = 1;
  ‹;¦if (i == 0) x@ = 1;›
  «pthread_barrier_wait(&b@);¦if (i) pthread_barrier_wait(&b@);»
  int r = y@[«1 - i¦i»];
  ‹if (i == «1¦0») x@ = 2;¦;›
  «pthread_barrier_wait(&b@);¦»
  y@[«1 - i¦0¦1»] = r;
  ‹if (i == 0) x@ = 3;¦;›
  return NULL;
}
-- setup
pthread_t p@, q@;
pthread_barrier_init(&b@, NULL, «2¦1¦3»);
-- create
SPAWN(&p@, f@, (void *)0L);
SPAWN(&q@, f@, (void *)«1L¦0L»);
-- middle
«;¦pthread_barrier_wait(&b@); x@ = 5;¦x@ = 5;»
-- join
JOIN(p@);
JOIN(q@);
-- end
x@ = y@[0];
"""

BARRIER_LOOP = """
pthread_barrier_t b@; int even@; int odd@;
void *f@(void *arg) {
  int k;
  for (k = 0; k < «2¦1»; k++) {
    even@ = ‹odd@¦1›;
    «pthread_barrier_wait(&b@);¦»
  }
  return NULL;
}
void *g@(void *arg) {
  ‹pthread_barrier_wait(&b@); even@ = 1; pthread_barrier_wait(&b@);¦pthread_barrier_wait(&b@); pthread_barrier_wait(&b@); even@ = 2;¦even@ = 1; pthread_barrier_wait(&b@);›
  ‹odd@ = 1;¦;›
  return NULL;
}
-- setup
pthread_t p@, q@;
pthread_barrier_init(&b@, NULL, «2¦1»);
-- create
SPAWN(&p@, f@, NULL);
SPAWN(&q@, g@, NULL);
-- middle
-- join
JOIN(p@);
JOIN(q@);
-- end
"""

ONCE = """
pthread_once_t o@ = PTHREAD_ONCE_INIT; ‹pthread_once_t o2@ = PTHREAD_ONCE_INIT;¦› int x@; int *p@; pthread_mutex_t m@;
void init@(void) { x@ = 1; p@ = malloc(4); *p@ = 3; pthread_mutex_init(&m@, NULL); }
void *f@(void *arg) {
  «;¦int early = x@;»
  «pthread_once(&o@, init@);¦if (arg) pthread_once(&o@, init@);¦init@();»
  int r = x@ + *p@;
  LOCK(&m@); ‹*p@ = r¦x@ = 2›; UNLOCK(&m@);
  return NULL;
}
void *g@(void *arg) {
  pthread_once(&o@, init@);
  ‹int r = x@;¦LOCK(&m@); *p@ = 4; UNLOCK(&m@);›
  «;¦x@ = 5;»
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, ‹NULL¦&x@›);
SPAWN(&b@, ‹f@¦g@›, ‹NULL¦&x@›);
-- middle
«;¦int v@ = x@;¦pthread_once(&o@, init@);»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

CONDITION = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c@ = PTHREAD_COND_INITIALIZER; int ready@; int x@;
void *producer@(void *arg) {
  x@ = 1;
  «LOCK(&m@);¦»
  ready@ = «1¦0»;
  ‹pthread_cond_signal(&c@);¦pthread_cond_broadcast(&c@);›
  «UNLOCK(&m@);¦»
  «;¦x@ = 2;»
  return NULL;
}
void *consumer@(void *arg) {
  LOCK(&m@);
  «while¦if» (!ready@) pthread_cond_wait(&c@, &m@);
  ‹x@++;¦;›
  UNLOCK(&m@);
  x@++;
  return NULL;
}
void *poll@(void *arg) {
  int r;
  LOCK(&m@);
  r = ready@;
  UNLOCK(&m@);
  if («r¦!r») x@++;
  return NULL;
}
-- setup
pthread_t a@, b@;
‹;¦x@ = 7;›
-- create
SPAWN(&a@, producer@, NULL);
SPAWN(&b@, ‹consumer@¦poll@›, NULL);
-- middle
«;¦LOCK(&m@); ready@ = 1; UNLOCK(&m@);¦LOCK(&m@); ready@ = 0; UNLOCK(&m@);»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

PUBLISH = """
struct D@ { int v; int w; }; struct D@ d@; struct D@ *_Atomic ap@; struct D@ *pp@; atomic_int flag@; int x@;
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  struct D@ *p = ‹malloc(sizeof *p)¦&d@›;
  p->v = 1;
  p->w = 2;
  ‹ASTORE(&ap@, p, «REL¦RLX¦SEQ»);¦pp@ = p; ASTORE(&flag@, 1, «REL¦RLX»);¦LOCK(&m@); pp@ = p; UNLOCK(&m@);¦atomic_exchange_explicit(&ap@, p, «AR¦ACQ¦REL»);›
  «;¦p->v = 3;»
  return NULL;
}
void *g@(void *arg) {
  struct D@ *q = NULL;
  ‹q = ALOAD(&ap@, «ACQ¦RLX¦SEQ»);¦if (ALOAD(&flag@, «ACQ¦RLX») «==¦!=» 1) q = pp@;¦LOCK(&m@); q = pp@; UNLOCK(&m@);¦q = ALOAD(&ap@, ACQ);›
  if (q) {
    int r = q->v;
    ‹q->w = r;¦;›
  }
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹g@¦g@¦f@›, NULL);
-- middle
«;¦ASTORE(&flag@, 1, RLX);¦struct D@ *z@ = ALOAD(&ap@, ACQ); if (z@) z@->w = 1;»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

ATOMIC_FLAG_ORDER = """
atomic_int f1@; atomic_int f2@; int x@; int y@;
void *a@(void *arg) {
  x@ = 1;
  ‹ASTORE(&f1@, 1, «REL¦RLX»);¦atomic_fetch_add_explicit(&f1@, 1, «REL¦RLX»);¦atomic_thread_fence(REL); ASTORE(&f1@, 1, RLX);›
  «;¦x@ = 2;»
  return NULL;
}
void *b@(void *arg) {
  ‹while (ALOAD(&f1@, «ACQ¦RLX») == 0) ;¦if (!ALOAD(&f1@, «ACQ¦RLX»)) return NULL;¦while (ALOAD(&f1@, «ACQ¦RLX») «!=¦<» 1) ;›
  x@++;
  ASTORE(&f2@, 1, «REL¦RLX»);
  return NULL;
}
void *c@(void *arg) {
  ‹while (!ALOAD(&‹f1@¦f2@›, «ACQ¦RLX»)) ;¦if (ALOAD(&f2@, ACQ) == 0) return NULL;›
  x@ = 5;
  return NULL;
}
-- setup
pthread_t t@, u@, v@;
«;¦ASTORE(&f1@, 1, RLX);»
-- create
SPAWN(&t@, a@, NULL);
SPAWN(&u@, b@, NULL);
‹SPAWN(&v@, c@, NULL); JOIN(v@);¦;›
-- middle
«;¦ASTORE(&f1@, 0, REL);¦ASTORE(&f2@, 0, RLX);¦while (!ALOAD(&f2@, ACQ)) ; x@ = 6;¦atomic_fetch_add_explicit(&f1@, 1, RLX);»
-- join
JOIN(t@);
JOIN(u@);
-- end
"""

FLAG_UNDER_LOCK = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int stage@; int x@;
void *f@(void *arg) {
  x@ = 1;
  LOCK(&m@);
  stage@ = «1¦2¦stage@ + 1»;
  UNLOCK(&m@);
  «;¦x@ = 2;»
  return NULL;
}
void *g@(void *arg) {
  int seen;
  do {
    LOCK(&m@);
    seen = stage@;
    UNLOCK(&m@);
  } while (seen «==¦!=» 0);
  x@++;
  «;¦LOCK(&m@); stage@ = 0; UNLOCK(&m@);»
  return NULL;
}
-- setup
pthread_t a@, b@;
«;¦stage@ = 1;»
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹g@¦g@¦f@›, NULL);
-- middle
«;¦LOCK(&m@); stage@ = 1; UNLOCK(&m@);»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

# -- creation and joining

JOIN_LOOP = """
int sum@[3]; int total@; pthread_t t@[3];
void *f@(void *arg) {
  long i = (long)arg;
  sum@[«i¦0¦i + 1¦i / 2»]++;
  return NULL;
}
-- setup
int i@;
‹for (i@ = 0; i@ < 3; i@++) sum@[i@] = 0;¦;›
-- create
for (i@ = «0¦1»; i@ < «2¦3»; i@++) {
  ‹sum@[i@] = 1;¦;›
  SPAWN(&t@[«i@¦0»], f@, (void *)(long)«i@¦0¦i@ / 2»);
  «;¦sum@[i@] = 1;»
}
-- middle
«;¦total@ = sum@[0];¦sum@[2] = 1;»
-- join
for (i@ = «0¦1»; i@ < «2¦1»; i@++) {
  JOIN(t@[«i@¦0»]);
  ‹total@ += sum@[«i@¦i@ + 1»];¦;›
}
-- end
total@ = sum@[0] + sum@[1];
"""

JOIN_POINTER_LOOP = """
struct W@ { int id; int result; pthread_t t; }; struct W@ w@[3]; int total@; int shared@;
void work@(struct W@ *p) { p->result = p->id; «;¦shared@++;» }
void *f@(void *arg) {
  struct W@ *p = arg;
  work@(«p¦p + 1¦w@»);
  return NULL;
}
-- setup
int i@;
-- create
for (i@ = 0; i@ < 2; i@++) {
  w@[i@].id = i@;
  SPAWN(&w@[«i@¦0»].t, f@, &w@[«i@¦0¦i@ / 2»]);
  «;¦w@[i@].id = 2;¦w@[i@].result = 2;»
}
-- middle
«;¦w@[0].result = 1;¦w@[2].id = 1;»
-- join
‹for (i@ = 0; i@ < «2¦1»; i@++) JOIN(w@[i@].t);¦for (i@ = 0; i@ < 2; i@++) { JOIN(w@[i@].t); total@ += w@[«i@¦1 - i@»].result; }¦for (i@ = 1; i@ >= «0¦1»; i@--) JOIN(w@[i@].t);›
-- end
total@ = w@[0].result + w@[1].result;
"""

STRAIGHT_JOIN = """
int x@; int y@;
void *f@(void *arg) { x@++; return ‹NULL¦&y@›; }
void *g@(void *arg) { y@++; «;¦x@ = 3;» return NULL; }
-- setup
pthread_t a@, b@; void *r@;
x@ = 1;
-- create
SPAWN(&a@, f@, NULL);
«JOIN(a@);¦;»
‹x@ = 2;¦;›
SPAWN(«&b@¦&a@», ‹f@¦g@›, NULL);
-- middle
«y@ = 1;¦x@ = 4;¦;»
-- join
«JOIN(b@);¦JOIN(a@);¦pthread_detach(b@);»
-- end
x@ = y@;
"""

NESTED_THREADS = """
int x@; int y@; pthread_t inner@;
void *leaf@(void *arg) { x@++; ‹y@ = 1;¦;› return NULL; }
void *mid@(void *arg) {
  «;¦x@ = 1;»
  pthread_t t;
  SPAWN(&‹k:t¦inner@›, leaf@, NULL);
  «;¦x@ = 2;¦y@ = 3;»
  «JOIN(‹=k›);¦;»
  ‹x@ = 3;¦;›
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, mid@, NULL);
‹SPAWN(&b@, leaf@, NULL); JOIN(b@);¦;›
-- middle
«;¦x@ = 5;»
-- join
JOIN(a@);
«;¦JOIN(inner@);»
-- end
x@ = 4;
"""

PHASES = """
int x@; int buf@[2]; pthread_t t@[2];
void *f@(void *arg) { buf@[(long)arg]++; return NULL; }
void *g@(void *arg) { buf@[1 - (long)arg]++; ‹x@ = 1;¦;› return NULL; }
void run@(void *(*body)(void *), int n) {
  int i;
  for (i = 0; i < n; i++) SPAWN(&t@[i], body, (void *)(long)i);
  «for (i = 0; i < n; i++) JOIN(t@[i]);¦for (i = 1; i < n; i++) JOIN(t@[i]);¦»
}
-- setup
-- create
run@(f@, ‹1¦2›);
‹x@ = buf@[0];¦;›
run@(‹f@¦g@›, ‹1¦2›);
-- middle
buf@[0] = 1;
-- join
-- end
"""

SAME_START_TWICE = """
int x@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int n@;
void *f@(void *arg) {
  int *p = arg;
  ‹LOCK(&m@);¦;›
  *p = *p + 1;
  ‹UNLOCK(&m@);¦;›
  return NULL;
}
-- setup
pthread_t a@, b@; int l@ = 0; int k@ = 0; int *h@ = malloc(sizeof(int)); *h@ = 0;
-- create
SPAWN(&a@, f@, «&l@¦&k@¦h@¦&x@»);
SPAWN(&b@, f@, «&k@¦&l@¦&x@»);
-- middle
«;¦l@ = 1;¦*h@ = 2;¦x@ = 3;»
-- join
«JOIN(a@);¦»
‹l@ = 4;¦;›
JOIN(b@);
-- end
k@ = l@ + x@;
"""

FRESH_ARGUMENT = """
struct A@ { int id; int *out; }; int res@[2]; struct A@ *last@; int total@;
void *f@(void *arg) {
  struct A@ *p = arg;
  *p->out = p->id;
  p->id++;
  ‹free(p);¦;›
  return NULL;
}
-- setup
pthread_t t@[2]; int i@;
struct A@ *q@ = NULL;
-- create
for (i@ = 0; i@ < 2; i@++) {
  «q@ = malloc(sizeof *q@);¦if (!q@) q@ = malloc(sizeof *q@);»
  q@->id = i@;
  q@->out = &res@[«i@¦0»];
  «;¦last@ = q@;»
  SPAWN(&t@[i@], f@, q@);
  «;¦q@->id = 3;¦if (last@) last@->id = 4;»
}
-- middle
-- join
for (i@ = 0; i@ < 2; i@++) JOIN(t@[i@]);
-- end
total@ = res@[0];
"""

SELF_INDEX = """
pthread_t ids@[2]; int own@[2]; int x@;
void *f@(void *arg) {
  pthread_t me = pthread_self();
  if («pthread_equal(me, ids@[0])¦me == ids@[0]¦!pthread_equal(me, ids@[1])») x@++;
  own@[(long)arg] = 1;
  return NULL;
}
-- setup
pthread_mutex_t g@ = PTHREAD_MUTEX_INITIALIZER;
-- create
SPAWN(&ids@[0], f@, (void *)0L);
SPAWN(&ids@[1], f@, (void *)1L);
-- middle
-- join
JOIN(ids@[0]);
JOIN(ids@[1]);
-- end
"""

# -- pointers, stack, thread-local, copies, callbacks

THREAD_LOCAL = """
_Thread_local int tl@; _Thread_local int *tp@; int *leak@; int g@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  tl@ = 1;
  tp@ = ‹&tl@¦&g@¦malloc(4)›;
  «;¦LOCK(&m@); leak@ = &tl@; UNLOCK(&m@);¦LOCK(&m@); leak@ = tp@; UNLOCK(&m@);»
  tl@++;
  ‹*tp@ = 2;¦;›
  return NULL;
}
void *h@(void *arg) {
  LOCK(&m@);
  int *p = leak@;
  UNLOCK(&m@);
  if (p) *p = 5;
  return NULL;
}
-- setup
pthread_t a@, b@;
«;¦leak@ = &tl@;»
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦h@›, NULL);
-- middle
tl@ = 7;
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

STACK_ARGUMENT = """
struct Q@ { int a; int b; pthread_mutex_t lock; };
void *f@(void *arg) {
  struct Q@ *q = arg;
  ‹LOCK(&q->lock); q->a++; UNLOCK(&q->lock);¦q->a++;›
  return NULL;
}
void *g@(void *arg) {
  struct Q@ *q = arg;
  ‹LOCK(&q->lock); q->«b¦a»++; UNLOCK(&q->lock);¦q->«b¦a»++;›
  return NULL;
}
int run@(int n) {
  struct Q@ q = {0, 0, PTHREAD_MUTEX_INITIALIZER};
  pthread_t t, u;
  q.a = n;
  SPAWN(&t, f@, &q);
  SPAWN(&u, ‹f@¦g@›, &q);
  «;¦q.b = 1;¦q.a = 1;»
  JOIN(t);
  «;¦q.a = 2;»
  JOIN(u);
  return q.a + q.b;
}
-- setup
-- create
‹int r@ = run@(1);¦int r@ = run@(1); r@ += run@(2);›
-- middle
-- join
-- end
"""

COPIES = """
struct B@ { int a; int b; char c[8]; }; struct B@ s@; struct B@ t@; int buf@[4]; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  «LOCK(&m@);¦»
  ‹s@ = t@;¦memcpy(&s@, &t@, sizeof s@);¦memset(buf@, 1, «8¦12¦sizeof buf@»);¦memcpy(buf@, buf@ + 2, 8);›
  «UNLOCK(&m@);¦»
  return NULL;
}
void *g@(void *arg) {
  ‹LOCK(&m@); s@.b = 1; UNLOCK(&m@);¦buf@[«2¦1»] = 3;¦t@.a = s@.a;¦struct B@ l = ‹s@¦t@›; l.a = 2;¦memset(&buf@[«2¦1»], 0, 8);›
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

CALLBACKS = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int x@; int y@;
typedef void (*op@)(int *);
void inc@(int *p) { (*p)++; }
void dec@(int *p) { ‹(*p)--;¦LOCK(&m@); (*p)--; UNLOCK(&m@);› }
struct V@ { op@ call; int *target; }; struct V@ v@ = {‹inc@¦dec@›, &x@};
op@ table@[2] = {inc@, dec@};
void apply@(op@ o, int *p) { LOCK(&m@); o(p); UNLOCK(&m@); }
void *f@(void *arg) {
  ‹apply@(inc@, &x@);¦LOCK(&m@); v@.call(v@.target); UNLOCK(&m@);¦LOCK(&m@); table@[0](&x@); UNLOCK(&m@);¦dec@(&x@);›
  return NULL;
}
void *g@(void *arg) {
  ‹apply@(inc@, ‹&x@¦&y@›);¦«v@.call¦inc@»(‹&y@¦&x@›);¦table@[«1¦0»](&x@);›
  return NULL;
}
-- setup
pthread_t a@, b@;
‹v@.target = &y@;¦;›
-- create
SPAWN(&a@, ‹f@¦g@›, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
«;¦v@.call = dec@;¦table@[0] = dec@;»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

MANY_CONTEXTS = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int g1@; int g2@;
void set@(int *p, int v) { *p = v; }
void locked@(int *p, int v) { LOCK(&m@); set@(p, v); UNLOCK(&m@); }
void both@(int *p, int c) { if (c) locked@(p, 1); else set@(p, 2); }
void *f@(void *arg) {
  int local = 0;
  set@(&local, 1);
  ‹locked@(&g1@, 2);¦both@(&g1@, «1¦0»);¦LOCK(&m@); set@(&g1@, 3); UNLOCK(&m@);›
  both@(&local, 0);
  return ‹NULL¦(void *)(long)local›;
}
void *h@(void *arg) {
  ‹locked@(&g1@, 4);¦both@(&g2@, 0);¦both@(arg, «1¦0»);›
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, ‹f@¦h@›, &g1@);
SPAWN(&b@, ‹f@¦h@›, &‹g1@¦g2@›);
-- middle
«;¦set@(&g2@, 7);¦locked@(&g1@, 2);»
-- join
JOIN(a@);
JOIN(b@);
-- end
set@(&g1@, 0);
"""

ATOMIC_SECTION = """
int x@; int y@;
void __VERIFIER_atomic_add@(void) { x@++; }
void *f@(void *arg) {
  ‹__VERIFIER_atomic_begin(); x@++; ‹__VERIFIER_atomic_end();¦y@ = 1; __VERIFIER_atomic_end();›¦__VERIFIER_atomic_add@();›
  «;¦y@ = 2;»
  return NULL;
}
void *g@(void *arg) {
  «__VERIFIER_atomic_begin();¦»
  x@ = 2;
  «__VERIFIER_atomic_end();¦»
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

MIXED_ATOMIC = """
atomic_int c@; int x@; int slot@[3];
void *f@(void *arg) {
  int i = atomic_fetch_add_explicit(&c@, 1, «AR¦RLX¦SEQ»);
  slot@[«i¦i / 2¦0»] = 1;
  ‹if (i == 1) x@ = 1;¦;›
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, f@, NULL);
-- middle
«;¦if (ALOAD(&c@, ACQ) == 2) x@ = slot@[0];»
-- join
JOIN(a@);
JOIN(b@);
-- end
x@ = slot@[0];
"""

REFERENCE_COUNT = """
struct R@ { atomic_int refs; int data; }; struct R@ *obj@;
void put@(struct R@ *r) {
  if (atomic_fetch_add_explicit(&r->refs, -1, «AR¦RLX¦REL») == 1) {
    ‹atomic_thread_fence(ACQ);¦;›
    r->data = 0;
    free(r);
  }
}
void *f@(void *arg) {
  struct R@ *r = arg;
  int v = r->data;
  ‹;¦atomic_fetch_add_explicit(&r->refs, 1, RLX); put@(r);›
  put@(r);
  return NULL;
}
-- setup
pthread_t a@, b@;
struct R@ *r@ = malloc(sizeof *r@);
r@->data = 1;
ASTORE(&r@->refs, «2¦1», RLX);
-- create
SPAWN(&a@, f@, r@);
SPAWN(&b@, f@, r@);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

OWNERSHIP_TRANSFER = """
struct M@ { int v; int tag; }; struct M@ *box@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; struct M@ *kept@;
void *f@(void *arg) {
  struct M@ *p = malloc(sizeof *p);
  p->v = 1;
  LOCK(&m@);
  if (!box@) { box@ = p; ‹p = NULL;¦;› }
  UNLOCK(&m@);
  «;¦if (p) p->v = 2;»
  return NULL;
}
void *g@(void *arg) {
  struct M@ *q;
  LOCK(&m@);
  q = box@;
  «box@ = NULL;¦»
  UNLOCK(&m@);
  if (q) {
    q->v++;
    «;¦kept@ = q;»
    ‹free(q);¦;›
  }
  return NULL;
}
-- setup
pthread_t a@, b@, c@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, g@, NULL);
‹SPAWN(&c@, g@, NULL); JOIN(c@);¦;›
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
if (box@) box@->v = 3;
"""

INDEX_LOOP = """
int a@[6]; int lim@ = ‹2¦3›; int total@;
void *f@(void *arg) {
  long k = (long)arg; long i;
  for (i = k * «3¦2»; i < k * 3 + «3¦4»; i++) a@[i]++;
  return NULL;
}
void *g@(void *arg) {
  int *p = arg; int i;
  for (i = 0; i < «lim@¦4»; i++) p[i]++;
  return NULL;
}
-- setup
pthread_t t@[2]; int i@;
-- create
for (i@ = 0; i@ < 2; i@++) SPAWN(&t@[i@], ‹f@, (void *)(long)i@¦g@, &a@[i@ * «3¦2¦1»]¦g@, a@ + 3 * i@›);
-- middle
«;¦a@[5] = 1;»
-- join
for (i@ = 0; i@ < 2; i@++) JOIN(t@[i@]);
-- end
total@ = a@[0];
"""

STABLE_POINTER = """
struct C@ { int n; pthread_mutex_t *lock; int *data; }; int d1@; int d2@;
pthread_mutex_t m1@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t m2@ = PTHREAD_MUTEX_INITIALIZER;
struct C@ c@; struct C@ *cp@;
void *f@(void *arg) {
  LOCK(cp@->lock);
  (*cp@->data)++;
  ‹cp@->n++;¦;›
  UNLOCK(cp@->lock);
  return NULL;
}
void *g@(void *arg) {
  struct C@ *c = arg;
  LOCK(‹c->lock¦&m1@¦cp@->lock›);
  *c->data = 2;
  UNLOCK(‹c->lock¦&m1@¦cp@->lock›);
  return NULL;
}
-- setup
pthread_t a@, b@;
c@.lock = &‹m1@¦m2@›;
c@.data = &‹d1@¦d2@›;
cp@ = &c@;
-- create
SPAWN(&a@, f@, cp@);
«;¦c@.lock = &m2@;»
SPAWN(&b@, ‹f@¦g@›, &c@);
-- middle
«;¦c@.data = &d2@;¦LOCK(&m1@); d1@ = 1; UNLOCK(&m1@);¦LOCK(&m2@); d2@ = 1; UNLOCK(&m2@);»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""


# -- fresh objects that get away

FRESH_ESCAPES = """
struct N@ { int v; struct N@ *next; void *any; }; struct N@ *g@; struct N@ *tab@[2]; long word@;
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; struct N@ *_Atomic ap@;
void keep@(struct N@ *p) { ‹;¦g@ = p;¦tab@[1] = p;› }
struct N@ *same@(struct N@ *p) { ‹return p;¦struct N@ *q = p; return q;¦return p->next ? p->next : p;› }
void link@(struct N@ *a, struct N@ *b) { a->next = b; }
void *f@(void *arg) {
  struct N@ *p = malloc(sizeof *p);
  struct N@ *q = calloc(1, sizeof *q);
  struct N@ **pp = ‹&g@¦&tab@[0]¦&q->next›;
  p->v = 1;
  p->next = NULL;
  q->next = ‹p¦NULL›;
  LOCK(&m@);
  ‹*pp = p;¦keep@(p);¦link@(q, p); g@ = q;¦struct N@ t = *q; g@ = t.next;¦memcpy(tab@, &p, sizeof p);¦word@ = (long)p;¦g@ = same@(p);¦g@ = arg ? p : q;¦q->any = p; tab@[0] = q;¦memcpy(&g@, &q->next, sizeof g@);¦struct N@ *e = NULL; atomic_compare_exchange_strong_explicit(&ap@, &e, p, REL, RLX);¦*q = *p; g@ = q;›
  ‹p->v = 2;¦q->v = 2;¦;›
  UNLOCK(&m@);
  «;¦p->v = 3;¦q->v = 3;¦same@(q)->v = 3;¦if (q->next) q->next->v = 3;»
  return NULL;
}
void *h@(void *arg) {
  LOCK(&m@);
  struct N@ *p = ‹g@¦tab@[0]¦tab@[1]¦(struct N@ *)word@¦ALOAD(&ap@, ACQ)›;
  if (p) p->v++;
  ‹if (p && p->next) p->next->v++;¦;›
  ‹if (p && p->any) ((struct N@ *)p->any)->v++;¦;›
  UNLOCK(&m@);
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, ‹NULL¦&g@›);
SPAWN(&b@, ‹f@¦h@¦h@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
if (g@) g@->v = 4;
"""

FRESH_LOOP = """
struct N@ { int v; struct N@ *next; }; struct N@ *head@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  struct N@ *prev = NULL; struct N@ *n = NULL; int i;
  for (i = 0; i < 2; i++) {
    n = malloc(sizeof *n);
    n->v = i;
    n->next = ‹prev¦head@¦NULL›;
    ‹if (prev) prev->v = 7;¦;›
    «;¦if (i == 0) { LOCK(&m@); head@ = n; UNLOCK(&m@); }»
    prev = n;
  }
  LOCK(&m@);
  ‹head@ = n;¦head@ = prev;¦if (head@) head@->next = n; else head@ = n;›
  UNLOCK(&m@);
  «;¦n->v = 3;¦if (prev->next) prev->next->v = 3;»
  return NULL;
}
void *g@(void *arg) {
  struct N@ *p;
  LOCK(&m@);
  for (p = head@; p; p = p->next) p->v++;
  UNLOCK(&m@);
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
if (head@) head@->v = 4;
"""

FRESH_SPAWN = """
struct A@ { int in; int out; struct A@ *peer; }; struct A@ *reg@[2]; int done@;
void *f@(void *arg) {
  struct A@ *p = arg;
  p->out = p->in;
  «;¦if (p->peer) p->peer->out = 1;»
  return p;
}
struct A@ *start@(pthread_t *t, int v, struct A@ *peer) {
  struct A@ *p = malloc(sizeof *p);
  p->in = v;
  p->peer = ‹peer¦NULL›;
  pthread_create(t, NULL, f@, ‹p¦p¦peer ? peer : p›);
  «;¦p->in = 2;¦p->out = 2;»
  ‹reg@[v] = p;¦;›
  return p;
}
-- setup
pthread_t a@, b@; struct A@ *r@; struct A@ *s@; void *res@;
-- create
r@ = start@(&a@, 0, NULL);
s@ = start@(&b@, 1, ‹r@¦NULL›);
-- middle
«;¦r@->out = 1;¦done@ = s@->in;¦done@ = s@->out;»
-- join
‹JOIN(a@);¦pthread_join(a@, &res@); ((struct A@ *)res@)->out = 3;›
«;¦s@->out = 5;»
JOIN(b@);
-- end
done@ = r@->out + s@->out;
"""

# -- flow through functions: recursion, gotos, several exits, many contexts

RECURSION = """
struct N@ { int v; pthread_mutex_t lock; struct N@ *next; }; int deep@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
struct N@ n1@ = {0, PTHREAD_MUTEX_INITIALIZER, NULL}; struct N@ n0@ = {0, PTHREAD_MUTEX_INITIALIZER, &n1@};
void all@(struct N@ *p, int d) {
  if (!p) return;
  LOCK(&p->lock);
  «p->v++;¦»
  ‹all@(p->next, d + 1);¦;›
  «;¦if (p->next) p->next->v++;»
  UNLOCK(&p->lock);
  ‹all@(p->next, d);¦;›
  «;¦p->v--;»
}
int count@(int k) {
  if (k == 0) { ‹return 0;¦LOCK(&m@); deep@++; UNLOCK(&m@); return 1;› }
  ‹LOCK(&m@); deep@++; UNLOCK(&m@);¦;›
  return count@(k - 1) «;¦+ deep@;»
}
void *f@(void *arg) { all@(&n0@, 0); ‹count@(2);¦;› return NULL; }
void *g@(void *arg) { all@(‹&n1@¦&n0@›, 0); count@(1); return NULL; }
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

GOTOS = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER; int x@; int y@;
void *f@(void *arg) {
  int k = ‹__VERIFIER_nondet_int()¦arg != NULL¦0›; int tries = 0;
  if (k) goto ‹inside¦second›;
again:
  LOCK(&m@);
  x@++;
  «;¦if (x@ > 3) goto out;»
  UNLOCK(&m@);
inside:
  tries++;
  ‹LOCK(&n@); y@++; UNLOCK(&n@);¦;›
  if (tries < 2) goto ‹again¦inside›;
second:
  «LOCK(&m@);¦»
  x@ = 5;
  UNLOCK(&m@);
out:
  «;¦y@ = 1;¦x@ = 1;»
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, f@, ‹NULL¦&x@›);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

LOCK_IN_LOOP = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t l@[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int x@; int c@[2]; int stop@;
void *f@(void *arg) {
  int i;
  for (i = 0; i < 2; i++) {
    LOCK(‹&m@¦&l@[i]›);
    «;¦if (stop@) break;¦if (stop@) continue;»
    ‹x@++;¦c@[i]++;›
    UNLOCK(‹&m@¦&l@[i]›);
  }
  «;¦x@ = 1;»
  return NULL;
}
void *g@(void *arg) {
  int i;
  for (i = 0; i < 2; i++) LOCK(&l@[i]);
  ‹c@[0]++; c@[1]++;¦;›
  for (i = «0¦1»; i < 2; i++) UNLOCK(&l@[i]);
  «;¦c@[0] = 3;»
  LOCK(&m@);
  i = 0;
  while (i < 2) {
    x@++;
    ‹UNLOCK(&m@); LOCK(&m@);¦;›
    «;¦if (i == 1) UNLOCK(&m@);»
    i++;
  }
  UNLOCK(&m@);
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

WRAPPED_CREATE = """
int x@; int y@; pthread_t ids@[4]; int n@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) { int *p = arg; ‹LOCK(&m@); (*p)++; UNLOCK(&m@);¦(*p)++;› return NULL; }
pthread_t go@(int *p) { pthread_t t; SPAWN(&t, f@, p); return t; }
void launch@(int *p) { ids@[n@] = go@(p); n@ = n@ + 1; }
void finish@(pthread_t t) { JOIN(t); }
void both@(int *p, int *q) { launch@(p); launch@(q); }
-- setup
int i@; pthread_t t@;
-- create
‹launch@(&x@);¦t@ = go@(&x@); ids@[n@++] = t@;¦both@(&x@, &y@);›
«;¦x@ = 1;»
‹launch@(«&y@¦&x@»);¦;›
-- middle
«;¦y@ = 3;»
-- join
‹for (i@ = 0; i@ < n@; i@++) finish@(ids@[i@]);¦for (i@ = «0¦1»; i@ < n@; i@++) JOIN(ids@[i@]);¦if (n@ > 0) JOIN(ids@[0]); if (n@ > 1) JOIN(ids@[1]);›
-- end
x@ = y@;
"""

CONDITIONAL_CREATE = """
int x@; int on@ = ‹1¦0›; int err@;
void *f@(void *arg) { x@++; return NULL; }
-- setup
pthread_t a@, b@; int c@ = ‹on@¦__VERIFIER_nondet_int()¦1›; int made@ = 0;
-- create
if (c@) { SPAWN(&a@, f@, NULL); made@ = «1¦0»; }
«;¦c@ = !c@;»
‹if (!c@) x@ = 1;¦;›
-- middle
if (‹made@¦c@›) JOIN(a@);
x@ = 2;
if (!‹made@¦c@›) { SPAWN(&a@, f@, NULL); «JOIN(a@);¦» }
x@ = 3;
-- join
err@ = pthread_create(&b@, NULL, f@, NULL);
if («err@ == 0¦err@ != 0») JOIN(b@);
-- end
x@ = 4;
"""

THREAD_TABLE = """
struct T@ { pthread_t id; int used; int data; }; struct T@ tab@[3]; int sum@; int shared@;
void *f@(void *arg) { struct T@ *t = arg; t->data++; ‹shared@++;¦;› return NULL; }
int add@(int k) {
  if (tab@[k].used) return -1;
  tab@[k].used = 1;
  tab@[k].data = k;
  SPAWN(&tab@[k].id, f@, &tab@[«k¦0»]);
  «;¦tab@[k].data = 1;»
  return k;
}
void wait@(int k) { if (tab@[k].used) { JOIN(tab@[k].id); tab@[k].used = 0; } }
-- setup
int i@;
-- create
‹add@(0); «wait@(0);¦» add@(‹0¦1›);¦for (i@ = 0; i@ < 2; i@++) add@(i@);¦for (i@ = 0; i@ < 2; i@++) { add@(i@); «wait@(i@);¦» }›
-- middle
«;¦sum@ += tab@[1].data;»
-- join
‹wait@(0); wait@(1);¦for (i@ = 0; i@ < «2¦1»; i@++) wait@(i@);›
-- end
sum@ = tab@[0].data + shared@;
"""

LOOP_SHAPES = """
int d@[6]; pthread_t t@[4]; int total@; int lim@ = 2;
void *f@(void *arg) { ‹int *p = arg; p[0]++;¦int *p = arg; p[«0¦1»]++;¦int k = (int)(long)arg; d@[k]++;› return NULL; }
-- setup
int i@, j@; unsigned u@; ‹k:long¦char¦unsigned char› c@;
-- create
‹i@ = 0; while (i@ < 2) { SPAWN(&t@[i@], f@, ‹&d@[i@]¦&d@[2 * i@]›); i@++; }¦for (u@ = 0; u@ < 2; u@++) SPAWN(&t@[u@], f@, &d@[u@]);¦for (c@ = 0; c@ < 2; c@++) SPAWN(&t@[(int)c@], f@, &d@[(int)c@]);¦for (i@ = 2; i@ > 0; i@--) SPAWN(&t@[i@ - 1], f@, &d@[«i@ - 1¦i@ / 2»]);¦for (i@ = 0; i@ < lim@; i@++) SPAWN(t@ + i@, f@, d@ + «i@¦i@ % 1»);¦for (i@ = 0; i@ < 4; i@ += 2) SPAWN(&t@[i@ / 2], f@, &d@[i@ «¦/ 4»]);¦for (i@ = 0; i@ < 2; i@++) for (j@ = 0; j@ < 2; j@++) SPAWN(&t@[2 * i@ + j@], f@, &d@[«2 * i@ + j@¦i@ + j@¦j@»]);¦do { SPAWN(&t@[i@ = total@], f@, &d@[total@]); total@++; } while (total@ < 2);›
-- middle
«;¦d@[0] = 1;¦total@ = d@[1];»
-- join
‹for (i@ = 0; i@ < 2; i@++) JOIN(t@[i@]);¦JOIN(t@[0]); JOIN(t@[1]);¦i@ = 2; while (i@-- > 0) JOIN(t@[i@]);¦for (u@ = 0; u@ < lim@; u@++) JOIN(t@[u@]);¦for (i@ = 0; i@ < 2; i@++) { if («0¦i@ == 1¦d@[5]») continue; JOIN(t@[i@]); }¦for (i@ = 0; i@ < 2; i@++) { JOIN(t@[i@]); «;¦break;» }¦for (i@ = 0; i@ < 4; i@++) if (t@[i@]) JOIN(t@[i@]);›
-- end
total@ = d@[0] + d@[1];
"""

# -- bytes: unions, narrow accesses, bit-fields, overlapping copies

NARROW = """
union U@ { int w; char b[4]; short h[2]; } u@; struct P@ { char a; char b; int c : 4; int d : 4; long e; } p@;
int arr@[4]; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  LOCK(‹&m@¦&n@›);
  ‹u@.w = 1;¦u@.b[‹0¦1›] = 1;¦p@.a = 1;¦p@.c = 1;¦((char *)arr@)[‹3¦4›] = 1;¦*(long *)&arr@[‹0¦1›] = 1;¦((struct P@ *)&p@)->e = 2;¦memset((char *)arr@ + 2, 0, 4);›
  UNLOCK(‹&m@¦&n@›);
  return NULL;
}
void *g@(void *arg) {
  LOCK(‹&m@¦&n@›);
  ‹u@.h[‹0¦1›] = 1;¦u@.b[‹1¦2›] = 1;¦p@.b = 1;¦p@.d = 1;¦arr@[‹0¦1¦2›] = 1;¦*(int *)((char *)arr@ + 6) = 1;¦p@.e = 2;¦char *q = (char *)&p@; q[‹0¦1¦2¦8›] = 1;›
  UNLOCK(‹&m@¦&n@›);
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@¦g@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

BY_VALUE = """
struct L@ { int *p; pthread_mutex_t *m; long pad[3]; }; int x@; int y@;
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER; struct L@ def@;
void use@(struct L@ l) { LOCK(l.m); (*l.p)++; UNLOCK(l.m); }
struct L@ make@(int *p, pthread_mutex_t *m) { struct L@ l = {p, m, {0, 0, 0}}; return l; }
void swap@(struct L@ *l) { «;¦l->m = &n@;¦l->p = &y@;» }
void *f@(void *arg) {
  struct L@ l = make@(&x@, «&m@¦&n@»);
  swap@(&l);
  use@(l);
  ‹use@(def@);¦;›
  return NULL;
}
void *g@(void *arg) {
  struct L@ l = ‹def@¦*(struct L@ *)arg›;
  ‹l.pad[0] = 1;¦;›
  use@(l);
  «;¦def@.p = &y@;»
  return NULL;
}
-- setup
pthread_t a@, b@; struct L@ k@;
def@ = make@(‹&x@¦&y@›, &m@);
k@ = def@;
«;¦k@.m = &n@;»
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@¦g@›, ‹&k@¦&def@›);
-- middle
«;¦def@.m = &n@;»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

THREAD_SPECIFIC = """
pthread_key_t key@; pthread_key_t key2@; int g@; struct B@ { int n; struct B@ *o; }; struct B@ *seen@;
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
struct B@ *mine@(void) {
  struct B@ *b = pthread_getspecific(«key@¦key2@»);
  if (!b) {
    b = «calloc(1, sizeof *b)¦seen@»;
    if (!b) b = calloc(1, sizeof *b);
    ‹LOCK(&m@); seen@ = b; UNLOCK(&m@);¦;›
    pthread_setspecific(key@, b);
  }
  return b;
}
void *f@(void *arg) {
  mine@()->n++;
  ‹pthread_setspecific(key@, ‹arg¦&g@›); *(int *)pthread_getspecific(key@) = 1;¦;›
  return NULL;
}
void *h@(void *arg) {
  mine@()->n++;
  «;¦LOCK(&m@); if (seen@) seen@->n++; UNLOCK(&m@);»
  return NULL;
}
-- setup
pthread_t a@, b@;
int one@ = 0; int two@ = 0;
pthread_key_create(&key@, NULL);
pthread_key_create(&key2@, NULL);
-- create
SPAWN(&a@, ‹f@¦h@›, &one@);
SPAWN(&b@, ‹f@¦h@›, «&two@¦&one@»);
-- middle
‹mine@()->n++;¦;›
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

TRY_JOIN = """
int x@;
void *f@(void *arg) { x@++; return NULL; }
-- setup
pthread_t a@; int r@;
-- create
SPAWN(&a@, f@, NULL);
-- middle
r@ = pthread_tryjoin_np(a@, NULL);
if (r@ «==¦!=» 0) { x@ = 1; ‹pthread_t b@; SPAWN(&b@, f@, NULL); «JOIN(b@);¦»¦;› }
«;¦x@ = 2;»
-- join
if (r@ «!=¦==» 0) JOIN(a@);
-- end
x@ = 3;
"""

INITIAL_VALUES = """
atomic_int st@ = ‹256¦1¦0¦-1›; int x@; int box@[2] = {‹1¦0›, ‹0¦3›}; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  x@ = 1;
  ‹ASTORE(&st@, ‹0¦1¦256¦2›, REL);¦LOCK(&m@); box@[‹0¦1›] = ‹0¦1¦3›; UNLOCK(&m@);¦LOCK(&m@); *(char *)&box@[1] = ‹0¦1¦3›; UNLOCK(&m@);›
  «;¦x@ = 2;»
  return NULL;
}
void *g@(void *arg) {
  int v;
  ‹v = ALOAD(&st@, ACQ);¦v = ALOAD((_Atomic(char) *)&st@, ACQ);¦LOCK(&m@); v = box@[‹0¦1›]; UNLOCK(&m@);¦LOCK(&m@); v = *(char *)&box@[‹0¦1›]; UNLOCK(&m@);›
  if (v ‹==¦!=› ‹0¦1¦256¦3›) x@++;
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, g@, NULL);
-- middle
‹;¦LOCK(&m@); box@[1] = 0; UNLOCK(&m@);¦ASTORE(&st@, 0, REL);›
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

REUSED_FLAG = """
atomic_int fl@; int x@; sem_t s@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int pf@;
void *f@(void *arg) {
  int i;
  for (i = 0; i < ‹1¦2›; i++) {
    x@++;
    ‹ASTORE(&fl@, 1, REL);¦LOCK(&m@); pf@ = 1; UNLOCK(&m@);¦sem_post(&s@);›
    ‹while (ALOAD(&fl@, ACQ)) ;¦;›
  }
  «;¦x@ = 7;»
  return NULL;
}
void *g@(void *arg) {
  int r = 0;
  ‹while (!ALOAD(&fl@, ACQ)) ; r = 1;¦LOCK(&m@); r = pf@; UNLOCK(&m@);¦sem_wait(&s@); r = 1;›
  if (r) x@++;
  ‹ASTORE(&fl@, 0, «REL¦RLX»);¦LOCK(&m@); pf@ = 0; UNLOCK(&m@);¦;›
  «;¦x@ = 3;»
  return NULL;
}
-- setup
pthread_t a@, b@;
sem_init(&s@, 0, 0);
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, g@, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
x@ = 9;
"""

CHAINED_SIGNALS = """
sem_t s1@; sem_t s2@; atomic_int f1@; atomic_int f2@; int x@; int y@;
void *a@(void *arg) { x@ = 1; ‹sem_post(&s1@);¦ASTORE(&f1@, 1, REL);› «;¦x@ = 5;» return NULL; }
void *b@(void *arg) {
  ‹sem_wait(&s1@);¦while (!ALOAD(&f1@, ACQ)) ;¦if (!ALOAD(&f1@, ACQ)) return NULL;¦;›
  «;¦y@ = 1;»
  ‹sem_post(&s2@);¦ASTORE(&f2@, 1, REL);¦sem_post(&s2@); x@ = 2;›
  return NULL;
}
void *c@(void *arg) {
  ‹sem_wait(&s2@);¦while (!ALOAD(&f2@, ACQ)) ;¦if (!ALOAD(&f2@, ACQ)) return NULL;›
  x@ = 3;
  «;¦y@ = 3;»
  return NULL;
}
-- setup
pthread_t t@, u@, v@;
sem_init(&s1@, 0, «0¦1»);
sem_init(&s2@, 0, «0¦1»);
-- create
SPAWN(&t@, a@, NULL);
SPAWN(&u@, b@, NULL);
SPAWN(&v@, c@, NULL);
-- middle
«;¦sem_post(&s1@);¦JOIN(t@);»
-- join
JOIN(u@);
JOIN(v@);
-- end
"""

THREADS_MAKE_THREADS = """
int x@; int y@[2]; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_t kid@[2]; sem_t s@;
void *leaf@(void *arg) { ‹x@++;¦y@[(long)arg & 1]++;¦LOCK(&m@); x@++; UNLOCK(&m@);› return NULL; }
void *mid@(void *arg) {
  long k = (long)arg;
  ‹y@[k] = 1;¦x@ = 1;¦;›
  SPAWN(&kid@[«k¦0»], leaf@, arg);
  ‹y@[1 - k] = 2;¦;›
  «JOIN(kid@[k]);¦;»
  y@[k]++;
  return NULL;
}
void *rec@(void *arg) {
  long k = (long)arg; pthread_t t;
  if (k > 0) SPAWN(&t, rec@, (void *)(k - 1));
  ‹y@[k & 1]++;¦x@++;¦if (k == 0) x@++;›
  if (k > 0) JOIN(t);
  «;¦x@ = 2;»
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, ‹mid@¦rec@›, (void *)‹0L¦1L›);
‹SPAWN(&b@, mid@, (void *)1L);¦SPAWN(&b@, rec@, (void *)1L);›
-- middle
-- join
JOIN(a@);
«;¦y@[0] = 4;»
JOIN(b@);
-- end
x@ = y@[0];
"""

SWAPPED_OBJECTS = """
struct O@ { pthread_mutex_t lock; int v; struct O@ *twin; }; struct O@ o@[2]; struct O@ *cur@ = &o@[0]; struct O@ *old@ = &o@[1];
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void flip@(void) { LOCK(&m@); struct O@ *t = cur@; cur@ = old@; old@ = t; UNLOCK(&m@); }
void *f@(void *arg) {
  LOCK(&m@);
  struct O@ *p = cur@;
  «;¦UNLOCK(&m@);»
  LOCK(&p->lock);
  «;¦p = p->twin;»
  «p¦cur@»->v++;
  UNLOCK(‹&p->lock¦&cur@->lock›);
  UNLOCK(&m@);
  return NULL;
}
void *g@(void *arg) {
  struct O@ *p = ‹&o@[0]¦&o@[1]¦arg›;
  ‹flip@();¦;›
  LOCK(&p->lock);
  p->v = 2;
  «;¦p->twin->v = 3;»
  UNLOCK(&p->lock);
  return NULL;
}
-- setup
pthread_t a@, b@;
o@[0].twin = &o@[1];
o@[1].twin = &o@[0];
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@¦g@›, cur@);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

DOUBLE_CHECKED = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; struct I@ { int v; } *inst@; atomic_int ok@; struct I@ *_Atomic ai@; int x@;
struct I@ *get@(void) {
  ‹struct I@ *p = ALOAD(&ai@, «ACQ¦RLX»); if (!p) { LOCK(&m@); p = ALOAD(&ai@, RLX); if (!p) { p = malloc(sizeof *p); p->v = 1; ASTORE(&ai@, p, «REL¦RLX»); } UNLOCK(&m@); } return p;¦if (!ALOAD(&ok@, «ACQ¦RLX»)) { LOCK(&m@); if (!inst@) { inst@ = malloc(sizeof *inst@); inst@->v = 2; ASTORE(&ok@, 1, «REL¦RLX»); } UNLOCK(&m@); } return inst@;¦LOCK(&m@); if (!inst@) { inst@ = malloc(sizeof *inst@); inst@->v = 3; } UNLOCK(&m@); return «inst@¦inst@»;›
}
void *f@(void *arg) { struct I@ *p = get@(); int r = p->v; ‹;¦LOCK(&m@); p->v = r + 1; UNLOCK(&m@);› return NULL; }
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, f@, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

QUEUE = """
struct Q@ { int items[2]; int head; int tail; pthread_mutex_t lock; sem_t full; sem_t room; }; struct Q@ q@; int sum@;
struct M@ { int v; }; struct M@ *slot@[2];
void put@(struct Q@ *q, struct M@ *m) {
  ‹sem_wait(&q->room);¦;›
  LOCK(&q->lock);
  slot@[q->tail & 1] = m;
  q->tail++;
  UNLOCK(&q->lock);
  sem_post(&q->full);
  «;¦m->v++;»
}
struct M@ *get@(struct Q@ *q) {
  sem_wait(&q->full);
  «LOCK(&q->lock);¦»
  struct M@ *m = slot@[q->head & 1];
  q->head++;
  «UNLOCK(&q->lock);¦»
  ‹sem_post(&q->room);¦;›
  return m;
}
void *p@(void *arg) { struct M@ *m = malloc(sizeof *m); m->v = 1; put@(&q@, m); ‹m = malloc(sizeof *m); m->v = 2; put@(&q@, m);¦;› return NULL; }
void *c@(void *arg) { struct M@ *m = get@(&q@); if (m) { m->v++; ‹free(m);¦sum@ = m->v;› } return NULL; }
-- setup
pthread_t a@, b@, d@;
pthread_mutex_init(&q@.lock, NULL);
sem_init(&q@.full, 0, «0¦1»);
sem_init(&q@.room, 0, 2);
-- create
SPAWN(&a@, p@, NULL);
SPAWN(&b@, c@, NULL);
‹SPAWN(&d@, c@, NULL); JOIN(d@);¦;›
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

LEFT_LOCKED = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER; int x@; int bad@;
void quit@(void) { ‹UNLOCK(&m@);¦;› pthread_exit(NULL); }
int check@(int k) { if (k > 2) { «UNLOCK(&m@);¦» return 1; } return 0; }
void *f@(void *arg) {
  LOCK(&m@);
  x@++;
  if (‹x@ > 1¦__VERIFIER_nondet_int()¦bad@›) quit@();
  if (check@(‹x@¦1›)) return NULL;
  x@--;
  UNLOCK(&m@);
  «;¦x@ = 4;»
  return NULL;
}
void cross@(pthread_mutex_t *a, pthread_mutex_t *b) { LOCK(a); x@++; UNLOCK(«a¦b»); }
void *g@(void *arg) {
  ‹LOCK(&n@);¦;›
  cross@(&m@, «&m@¦&n@»);
  ‹x@ = 2;¦;›
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
‹LOCK(&m@); x@ = 8;¦;›
-- join
JOIN(a@);
JOIN(b@);
-- end
"""


FRESH_TABLE = """
struct N@ { int v; struct N@ *kid[2]; }; struct N@ *g@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int pick@;
struct W@ { struct N@ *p; long pad[‹0¦3›]; struct N@ *q; };
struct W@ wrap@(struct N@ *p) { struct W@ w = {p}; w.q = p; return w; }
void spill@(struct W@ w) { ‹g@ = w.p;¦g@ = w.q;¦;› }
void put@(struct N@ **place, struct N@ *p) { *place = p; }
struct N@ *take@(struct N@ **place) { return *place; }
void *f@(void *arg) {
  int i = ‹pick@¦arg != NULL¦0›;
  struct N@ *p = calloc(1, sizeof *p);
  struct N@ *q = calloc(1, sizeof *q);
  struct N@ *tab[2] = {NULL, NULL};
  struct N@ *r = NULL; struct W@ w;
  ‹q->kid[i] = p; r = q->kid[‹i¦0¦1›];¦tab[i] = p; r = tab[‹i¦0¦1›];¦put@(&q->kid[i], p); r = take@(&q->kid[0]);¦put@(&r, p);¦if (i) r = p; else r = q;¦w = wrap@(p); r = w.q;¦memcpy(tab, &p, sizeof p); r = tab[0];¦memcpy(&r, &p, sizeof p);¦r = realloc(p, sizeof *p); p = r;¦*q = *p; q->kid[1] = p; memcpy(tab, q->kid, sizeof tab); r = tab[i];›
  LOCK(&m@);
  ‹g@ = r;¦spill@(wrap@(r ? r : p));¦put@(&g@, r);¦w.p = r; w.q = r; spill@(w);¦g@ = *(struct N@ **)&r;›
  UNLOCK(&m@);
  «;¦p->v = 3;¦q->v = 3;¦if (r) r->v = 4;»
  return NULL;
}
void *h@(void *arg) {
  LOCK(&m@);
  struct N@ *p = g@;
  UNLOCK(&m@);
  «if (p) LOCK(&m@);¦»
  if (p) p->v++;
  «if (p) UNLOCK(&m@);¦»
  return NULL;
}
-- setup
pthread_t a@, b@;
pick@ = ‹0¦1›;
-- create
SPAWN(&a@, f@, ‹NULL¦&g@›);
SPAWN(&b@, ‹f@¦h@¦h@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

SINGLE_OBJECT = """
struct S@ { pthread_mutex_t lock; int v; }; struct S@ *s@; struct S@ *last@; int n@; int x@; pthread_once_t o@ = PTHREAD_ONCE_INIT;
struct S@ *make@(void) { struct S@ *p = calloc(1, sizeof *p); pthread_mutex_init(&p->lock, NULL); return p; }
void init@(void) { s@ = make@(); }
void *f@(void *arg) {
  struct S@ *p = ‹s@¦arg¦arg ? arg : make@()¦make@()›;
  if (!p) return NULL;
  LOCK(&p->lock);
  ‹x@++;¦p->v++;¦x@ = p->v;›
  UNLOCK(&p->lock);
  return NULL;
}
-- setup
pthread_t a@, b@; int i@;
‹s@ = make@();¦init@();¦pthread_once(&o@, init@);¦for (i@ = 0; i@ < 2; i@++) { last@ = s@; s@ = make@(); }¦again@: last@ = s@; s@ = make@(); if (n@++ < 1) goto again@;¦s@ = make@(); last@ = make@();¦if (__VERIFIER_nondet_int()) s@ = make@(); else s@ = make@();›
-- create
SPAWN(&a@, f@, s@);
«;¦s@ = make@();»
SPAWN(&b@, f@, «s@¦last@¦NULL»);
-- middle
‹if (s@) { LOCK(&s@->lock); x@ = 1; UNLOCK(&s@->lock); }¦if (last@) { LOCK(&last@->lock); last@->v = 1; UNLOCK(&last@->lock); }¦;›
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

SINGLE_LOCAL = """
int x@;
struct L@ { pthread_mutex_t lock; int v; int *to; };
void *f@(void *arg) { struct L@ *l = arg; LOCK(&l->lock); ‹x@++;¦l->v++;¦(*l->to)++;› UNLOCK(&l->lock); return NULL; }
void start@(pthread_t *t, int deep, struct L@ *up) {
  struct L@ l = {PTHREAD_MUTEX_INITIALIZER, 0, &x@};
  if (deep > 0) { start@(t, deep - 1, &l); return; }
  pthread_create(&t[0], NULL, f@, ‹&l¦up¦up ? up : &l›);
  pthread_create(&t[1], NULL, f@, «&l¦up ? up : &l»);
  «;¦l.v = 1;»
  JOIN(t[0]);
  «;¦l.v = 2;»
  JOIN(t[1]);
  ‹l.v = 3;¦;›
}
void *mid@(void *arg) {
  struct L@ l = {PTHREAD_MUTEX_INITIALIZER, 0, &x@}; pthread_t t;
  SPAWN(&t, f@, &l);
  ‹LOCK(&l.lock); x@++; UNLOCK(&l.lock);¦;›
  JOIN(t);
  return NULL;
}
-- setup
pthread_t t@[4];
-- create
‹start@(t@, ‹0¦1›, NULL);¦SPAWN(&t@[2], mid@, NULL); ‹SPAWN(&t@[3], mid@, NULL); JOIN(t@[3]);¦;› JOIN(t@[2]);›
-- middle
-- join
-- end
x@ = 1;
"""

ADDRESS_TRICKS = """
struct S@ { int a; pthread_mutex_t lock; int b; int arr[3]; struct { int c; int d; } in[2]; }; struct S@ s@; struct S@ t@;
struct S@ *both@[2] = {&s@, &t@}; int grid@[2][2]; long word@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  int *p = ‹&s@.b¦&s@.arr[1]¦&s@.in[1].c¦&grid@[1][0]¦(int *)arg›;
  struct S@ *up = (struct S@ *)((char *)&s@.b - ((char *)&((struct S@ *)0)->b - (char *)0));
  LOCK(‹&s@.lock¦&m@¦&up->lock¦&both@[0]->lock›);
  ‹p[‹0¦-1¦1›]++;¦up->a++;¦((int *)up)[0]++;¦both@[‹0¦1›]->b++;¦*(int *)((char *)up + ‹0¦48¦52›) = 1;¦word@ = (long)p; *(int *)word@ = 2;¦(&s@.in[0].d)[«0¦1»] = 1;¦memset(&up->arr[‹0¦2›], 0, 8);¦(*(struct S@ **)&both@[0])->a = 2;›
  UNLOCK(‹&s@.lock¦&m@¦&up->lock¦&both@[0]->lock›);
  return NULL;
}
void *g@(void *arg) {
  LOCK(‹&s@.lock¦&m@›);
  ‹s@.a++;¦s@.b++;¦s@.arr[‹0¦1¦2›]++;¦s@.in[‹0¦1›].‹c¦d› = 1;¦grid@[‹0¦1›][‹0¦1›]++;¦*(int *)arg = 4;¦t@.b = 3;›
  UNLOCK(‹&s@.lock¦&m@›);
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, ‹&s@.a¦&s@.arr[0]¦&grid@[0][1]›);
SPAWN(&b@, ‹f@¦g@¦g@›, ‹&s@.a¦&s@.arr[0]¦&grid@[0][1]›);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

MANY_LOCK_CONTEXTS = """
pthread_mutex_t l@[6]; int x@[6]; int y@; int *ptr@ = &y@;
void set@(int *p) { (*p)++; }
void deep@(int *p) { set@(p); }
void under@(pthread_mutex_t *m, int *p) { LOCK(m); deep@(p); UNLOCK(m); }
void *f@(void *arg) {
  under@(&l@[0], &x@[0]);
  under@(&l@[1], &x@[1]);
  under@(&l@[2], &x@[2]);
  ‹under@(&l@[3], &x@[3]);¦;›
  under@(&l@[4], &x@[«4¦3¦0»]);
  LOCK(&l@[5]); «deep@(&x@[5]);¦deep@(&x@[0]);» UNLOCK(&l@[5]);
  «;¦set@(&x@[5]);¦deep@(ptr@);»
  return NULL;
}
void *g@(void *arg) {
  under@(&l@[‹0¦1¦2¦5›], &x@[‹0¦1¦2¦5›]);
  under@(&l@[‹3¦4›], &x@[‹3¦4›]);
  ‹LOCK(&l@[0]); LOCK(&l@[1]); set@(&x@[‹0¦1›]); UNLOCK(&l@[1]); UNLOCK(&l@[0]);¦;›
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, ‹f@¦g@›, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
«;¦deep@(&y@);¦under@(&l@[1], ptr@);»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

MANY_SPAWN_CONTEXTS = """
int x@; int y@; pthread_t ids@[6]; int n@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) { int *p = arg; ‹(*p)++;¦LOCK(&m@); (*p)++; UNLOCK(&m@);› return NULL; }
pthread_t a1@(int *p) { pthread_t t; SPAWN(&t, f@, p); return t; }
pthread_t a2@(int *p) { return a1@(p); }
pthread_t a3@(int *p) { ‹return a2@(p);¦pthread_t t = a2@(p); «;¦x@ = 1;» return t;› }
void run@(int *p) { pthread_t t = a3@(p); «JOIN(t);¦ids@[n@++] = t;» }
void two@(int *p, int *q) { pthread_t t = a3@(p); pthread_t u = a3@(q); JOIN(t); ‹*p = 1;¦;› «JOIN(u);¦» }
-- setup
-- create
‹run@(&x@); run@(&x@);¦two@(&x@, «&y@¦&x@»);¦run@(&x@); two@(&x@, &y@); run@(&y@);¦ids@[n@++] = a3@(&x@); ids@[n@++] = a2@(«&y@¦&x@»);›
-- middle
«;¦x@ = 3;¦y@ = 3;»
-- join
‹while (n@ > 0) { n@--; JOIN(ids@[n@]); }¦if (n@ > 0) JOIN(ids@[0]); if (n@ > 1) JOIN(ids@[1]);›
-- end
x@ = y@;
"""

LEFT_BEHIND = """
int x@; int y@; pthread_t grand@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *leaf@(void *arg) { ‹x@++;¦LOCK(&m@); x@++; UNLOCK(&m@);¦*(int *)arg = 1;› return NULL; }
void *mid@(void *arg) {
  pthread_t t;
  SPAWN(‹&t¦&grand@›, leaf@, ‹&y@¦arg›);
  ‹y@++;¦;›
  return NULL;
}
-- setup
pthread_t a@; int i@;
-- create
for (i@ = 0; i@ < ‹1¦2›; i@++) {
  SPAWN(&a@, mid@, &x@);
  JOIN(a@);
  ‹;¦JOIN(grand@);›
}
-- middle
«;¦x@ = 1;¦y@ = 1;¦LOCK(&m@); x@ = 2; UNLOCK(&m@);»
-- join
‹SPAWN(&a@, leaf@, &y@); JOIN(a@);¦;›
-- end
‹y@ = 2;¦;›
"""

ROUNDS = """
int w@[4]; int out@[4]; pthread_t t@[4]; int sum@; int last@;
void *f@(void *arg) { long i = (long)arg; out@[«i¦i ^ 1¦3 - i»] = w@[«i¦0»]; return NULL; }
-- setup
int i@; int r@;
-- create
for (r@ = 0; r@ < ‹1¦2›; r@++) {
  for (i@ = 0; i@ < 2; i@++) {
    w@[i@ «¦+ 1»] = r@;
    ‹out@[i@] = 0;¦;›
    SPAWN(&t@[i@], f@, (void *)(long)i@);
    «;¦w@[i@] = 1;¦if (i@ > 0) out@[i@ - 1] = 2;¦out@[i@ + 1] = 3;¦w@[i@ + 1] = 3;»
  }
  «;¦sum@ = out@[0];»
  for (i@ = 0; i@ < «2¦1»; i@++) {
    JOIN(t@[i@]);
    sum@ += out@[«i@¦0¦1¦i@ + 1»];
    «;¦w@[i@ + 1] = 4;¦w@[1] = 4;»
  }
}
-- middle
-- join
-- end
sum@ = out@[0] + out@[1];
"""

BREAKING_LOOPS = """
int d@[3]; pthread_t t@[3]; int n@; int total@; int stop@;
void *f@(void *arg) { int *p = arg; (*p)++; return NULL; }
-- setup
int i@; int c@ = __VERIFIER_nondet_int();
-- create
for (i@ = 0; i@ < 2; i@++) {
  ‹if (c@ == i@) break;¦if (c@ == i@) continue;¦;›
  ‹if (pthread_create(&t@[i@], NULL, f@, &d@[i@])) break;¦SPAWN(&t@[«i@¦n@»], f@, &d@[i@]);¦SPAWN(&t@[n@], f@, &d@[n@]);›
  n@++;
}
-- middle
«;¦d@[0] = 1;»
-- join
‹for (i@ = 0; i@ < «n@¦2¦n@ - 1»; i@++) JOIN(t@[i@]);¦while (n@ > «0¦1») JOIN(t@[--n@]);¦for (i@ = 0; i@ < 2; i@++) { if (c@ == i@) ‹break¦continue›; JOIN(t@[i@]); }¦for (i@ = 0; i@ < 2; i@++) if (t@[i@]) JOIN(t@[i@]);›
-- end
total@ = d@[0];
d@[1] = 2;
"""

UNLOCK_ELSEWHERE = """
struct S@ { pthread_mutex_t lock; int v; struct S@ *other; }; struct S@ s@; struct S@ t@; struct S@ *cur@ = &s@; int x@;
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t *held@; _Thread_local pthread_mutex_t *mine@;
void drop@(pthread_mutex_t *p) { UNLOCK(p); }
void dropall@(void) { ‹if (held@) UNLOCK(held@);¦if (mine@) UNLOCK(mine@);¦;¦UNLOCK(&cur@->lock);› }
pthread_mutex_t *of@(struct S@ *p) { return ‹&p->lock¦&m@¦p ? &p->lock : &m@›; }
void *f@(void *arg) {
  struct S@ *p = ‹arg¦cur@¦&s@›; struct S@ *q = p;
  LOCK(‹&p->lock¦&s@.lock¦&m@¦of@(p)›);
  ‹mine@ = &p->lock;¦mine@ = &m@;¦;›
  ‹s@.v++;¦p->v++;¦x@++;›
  ‹q = p->other;¦q = &t@;¦;›
  ‹UNLOCK(&p->lock);¦drop@(&p->lock);¦drop@(of@(q));¦dropall@();¦UNLOCK(of@(p));¦UNLOCK(&q->lock);¦drop@(&m@);¦UNLOCK(cur@ == p ? &p->lock : &m@);›
  «;¦s@.v = 4;¦p->v++;¦x@ = 3;»
  return NULL;
}
-- setup
pthread_t a@, b@;
s@.other = ‹&s@¦&t@›; t@.other = &t@;
‹held@ = &m@;¦;›
-- create
SPAWN(&a@, f@, ‹&s@¦&t@›);
SPAWN(&b@, f@, ‹&s@¦&t@›);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

ATOMIC_SECTIONS = """
int x@; int y@; int z@; int ptr@;
void in@(int *p) { (*p)++; }
void open@(void) { __VERIFIER_atomic_begin(); }
void close@(void) { __VERIFIER_atomic_end(); }
int __VERIFIER_atomic_cas@(int *p, int e, int v) { if (*p == e) { *p = v; ‹in@(&y@);¦;› return 1; } return 0; }
void __VERIFIER_atomic_lock@(void) { ‹__VERIFIER_assume(x@ == 0);¦;› x@ = 1; }
void *f@(void *arg) {
  ‹open@(); in@(&x@); close@();¦__VERIFIER_atomic_cas@(&x@, 0, 1);¦if (__VERIFIER_atomic_cas@(&x@, 0, 1)) { z@++; «;¦__VERIFIER_atomic_cas@(&x@, 1, 0);» }¦open@(); if (x@) { close@(); return NULL; } x@ = 2; close@();›
  «;¦in@(&x@);¦in@(&y@);¦z@ = 1;»
  return NULL;
}
void *g@(void *arg) {
  ‹__VERIFIER_atomic_begin(); in@(&y@); __VERIFIER_atomic_end();¦__VERIFIER_atomic_cas@(&y@, 0, 2);¦__VERIFIER_atomic_begin(); if (arg) { x@ = 1; __VERIFIER_atomic_end(); } else { __VERIFIER_atomic_end(); «;¦x@ = 3;» }›
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, ‹NULL¦&x@›);
-- middle
«;¦z@ = 2;»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

READER_WRITER_ALIAS = """
struct R@ { pthread_rwlock_t rw; int v; struct R@ *twin; }; struct R@ r@; struct R@ s@; pthread_rwlock_t *rp@ = &r@.rw; int x@;
void rd@(struct R@ *p) { pthread_rwlock_rdlock(&p->rw); }
void wr@(struct R@ *p) { pthread_rwlock_«wrlock¦rdlock»(&p->rw); }
void un@(struct R@ *p) { pthread_rwlock_unlock(&p->rw); }
void *f@(void *arg) {
  struct R@ *p = ‹&r@¦arg›;
  ‹rd@(p); int a = p->v; un@(p);¦rd@(p); rd@(‹p¦&r@›); int b = p->v; un@(p); ‹b = p->v;¦;› un@(p);¦;›
  ‹wr@(p);¦pthread_rwlock_wrlock(rp@);›
  ‹p->v++;¦r@.v++;¦x@++;›
  ‹un@(p);¦pthread_rwlock_unlock(rp@);›
  «;¦int c = p->v;¦r@.v = 4;»
  return NULL;
}
void *g@(void *arg) {
  struct R@ *p = arg;
  rd@(p);
  int d = ‹p->v¦r@.v¦x@›;
  un@(p);
  «;¦rd@(p); p->v = d; un@(p);»
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, ‹f@¦g@›, ‹&r@¦&s@›);
SPAWN(&b@, ‹f@¦g@›, ‹&r@¦&s@›);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

PHASED_MODE = """
pthread_mutex_t l@[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}; int mode@; int x@; pthread_mutex_t *lp@ = &l@[0]; int *dst@ = &x@; int y@;
void *f@(void *arg) {
  ‹LOCK(&l@[mode@]);¦LOCK(lp@);¦if (mode@) LOCK(&l@[1]); else LOCK(&l@[0]);›
  ‹x@++;¦(*dst@)++;›
  ‹UNLOCK(&l@[mode@]);¦UNLOCK(lp@);¦if (mode@) UNLOCK(&l@[1]); else UNLOCK(&l@[0]);›
  return NULL;
}
void *g@(void *arg) { LOCK(&l@[‹0¦1›]); ‹x@++;¦y@++;¦mode@ = 1;› UNLOCK(&l@[‹0¦1›]); return NULL; }
void turn@(int k) { mode@ = k; lp@ = &l@[k]; ‹dst@ = k ? &y@ : &x@;¦;› }
-- setup
pthread_t a@, b@, c@;
‹turn@(0);¦turn@(1);¦;›
-- create
SPAWN(&a@, ‹f@¦g@›, NULL);
«JOIN(a@);¦»
«;¦x@ = 2;»
‹turn@(1);¦turn@(0);¦;›
SPAWN(&b@, ‹f@¦g@›, NULL);
SPAWN(&c@, ‹f@¦g@›, NULL);
-- middle
‹LOCK(&l@[mode@]); x@ = 7; UNLOCK(&l@[mode@]);¦LOCK(lp@); *dst@ = 4; UNLOCK(lp@);¦;›
-- join
JOIN(b@);
JOIN(c@);
-- end
"""

BARRIER_ROLES = """
pthread_barrier_t b@; pthread_barrier_t b2@; int x@; int y@; int rounds@ = 1;
void sync@(pthread_barrier_t *p) { pthread_barrier_wait(p); }
void *f@(void *arg) {
  x@ = 1;
  ‹sync@(&b@);¦pthread_barrier_wait(‹&b@¦arg›);¦if (rounds@) sync@(&b@);¦if (__VERIFIER_nondet_int()) sync@(&b@);›
  ‹y@ = 1;¦;›
  ‹sync@(&b@);¦sync@(&b2@);¦;›
  ‹x@ = 2;¦;›
  return NULL;
}
void *g@(void *arg) {
  ‹y@ = 3;¦;›
  sync@(‹&b@¦arg›);
  ‹x@ = 3;¦;›
  ‹sync@(&b@);¦sync@(&b2@);¦;›
  ‹y@ = 4;¦x@ = 4;¦;›
  return NULL;
}
-- setup
pthread_t p@, q@, r@;
pthread_barrier_init(&b@, NULL, ‹2¦2¦3¦1›);
pthread_barrier_init(&b2@, NULL, ‹2¦1›);
-- create
SPAWN(&p@, f@, &b@);
SPAWN(&q@, g@, &b@);
‹SPAWN(&r@, ‹f@¦g@›, &b@);¦;›
-- middle
‹sync@(&b@); x@ = 6;¦;¦;›
-- join
JOIN(p@);
JOIN(q@);
-- end
"""

LOCKED_FLAGS = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER; int busy@; int x@; int owner@; pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;
int acquire@(void) {
  LOCK(‹&m@¦&m@¦&n@›);
  if (busy@) { UNLOCK(‹&m@¦&m@¦&n@›); return 0; }
  busy@ = 1;
  UNLOCK(‹&m@¦&m@¦&n@›);
  return 1;
}
void get@(void) { LOCK(&m@); while (busy@) pthread_cond_wait(&c@, &m@); busy@ = 1; UNLOCK(&m@); }
void put@(void) { LOCK(&m@); busy@ = 0; pthread_cond_signal(&c@); UNLOCK(&m@); }
void *f@(void *arg) {
  ‹if (acquire@()) { x@++; put@(); }¦get@(); x@++; put@();¦get@(); put@(); «;¦x@ = 1;»›
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, f@, NULL);
-- middle
«;¦LOCK(&m@); busy@ = 0; UNLOCK(&m@);¦LOCK(&m@); if (!busy@) x@ = 4; UNLOCK(&m@);»
-- join
JOIN(a@);
JOIN(b@);
-- end
"""


UNLOCK_BY_ALIAS = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t *lp@ = &m@; int x@; int c@;
pthread_mutex_t *pick@(int k) { return k ? &n@ : &m@; }
void drop@(pthread_mutex_t *p) { UNLOCK(p); }
void *f@(void *arg) {
  pthread_mutex_t *p = ‹arg¦lp@¦pick@(c@)¦c@ ? &n@ : &m@›;
  LOCK(‹&m@¦&m@¦p›);
  x@++;
  ‹UNLOCK(p);¦drop@(p);¦UNLOCK(lp@);¦drop@(lp@);¦UNLOCK(&m@);¦drop@(pick@(c@));¦{ pthread_mutex_t **pp = &p; UNLOCK(*pp); }›
  ‹x@ = 2;¦x@ = 2;¦;›
  return NULL;
}
void *g@(void *arg) { LOCK(&m@); x@++; UNLOCK(&m@); return NULL; }
-- setup
pthread_t a@, b@;
‹c@ = 0;¦c@ = 1;¦;›
-- create
SPAWN(&a@, f@, &m@);
SPAWN(&b@, ‹f@¦g@›, ‹&m@¦&n@›);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

FRESH_INDEX = """
struct N@ { int v; struct N@ *kid[2]; struct N@ *one; }; struct N@ *g@; struct N@ *last@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int pick@;
struct N@ *kid@(struct N@ *p, int i) { return p->kid[i]; }
void add@(struct N@ *p, int i, struct N@ *k) { p->kid[i] = k; }
void *f@(void *arg) {
  int i = pick@; int j = ‹i¦0›;
  struct N@ *p = calloc(1, sizeof *p); struct N@ *q = calloc(1, sizeof *q); struct N@ *r;
  ‹q->kid[i] = p;¦add@(q, i, p);¦q->one = p; q->kid[i] = q->one;¦struct N@ *z = calloc(1, sizeof *z); z->one = p; q->kid[i] = z->one;¦q->one = p; memcpy(&q->kid[i], &q->one, sizeof p);›
  ‹r = q->kid[j];¦r = kid@(q, j);¦memcpy(&r, &q->kid[j], sizeof r);¦r = *(q->kid + j);¦struct N@ copy = *q; r = copy.kid[j];¦struct N@ **w = &q->kid[j]; r = *w;›
  LOCK(&m@);
  ‹g@ = r;¦g@ = q;¦g@ = ‹kid@(q, i)¦q->kid[i]›;¦if (!g@) g@ = r;›
  UNLOCK(&m@);
  ‹p->v = 3;¦q->v = 3;¦;›
  ‹LOCK(&m@); last@ = q; UNLOCK(&m@);¦LOCK(&m@); last@ = r; UNLOCK(&m@);¦;›
  return NULL;
}
void *h@(void *arg) {
  LOCK(&m@);
  struct N@ *p = g@;
  if (p) p->v++;
  ‹if (p && p->kid[pick@]) p->kid[pick@]->v++;¦;›
  UNLOCK(&m@);
  return NULL;
}
-- setup
pthread_t a@, b@;
pick@ = ‹0¦1¦__VERIFIER_nondet_int() & 1›;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, h@, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

HELD_ACROSS = """
pthread_mutex_t l@[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}; int mode@; pthread_mutex_t *lp@ = &l@[0]; int x@; struct H@ { int k; pthread_mutex_t *m; } h@ = {0, &l@[0]};
void *f@(void *arg) { LOCK(‹&l@[mode@]¦lp@¦h@.m¦&l@[h@.k]›); x@++; UNLOCK(‹&l@[mode@]¦lp@¦h@.m¦&l@[h@.k]›); return NULL; }
void *g@(void *arg) { LOCK(&l@[‹0¦1›]); x@++; UNLOCK(&l@[‹0¦1›]); return NULL; }
void change@(int k) { mode@ = k; lp@ = &l@[k]; h@.k = k; h@.m = &l@[k]; }
void shift@(struct H@ *p, int k) { p->k = k; p->m = &l@[k]; }
-- setup
pthread_t a@, b@;
‹change@(1);¦;›
-- create
‹SPAWN(&a@, g@, NULL);¦;›
LOCK(‹&l@[mode@]¦lp@¦h@.m¦&l@[h@.k]›);
‹mode@ = 1 - mode@;¦change@(1);¦lp@ = &l@[1];¦shift@(&h@, 1);¦;¦;›
SPAWN(&b@, ‹f@¦f@¦g@›, NULL);
x@ = 2;
‹change@(0);¦;¦;¦;›
UNLOCK(‹&l@[mode@]¦lp@¦&l@[0]¦h@.m›);
-- middle
‹x@ = 3;¦;¦;›
-- join
JOIN(b@);
-- end
"""

LOCAL_ALIAS = """
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER; int x@; int y@; int on@;
struct K@ { pthread_mutex_t *m; int *d; int flag; struct K@ *self; };
void set@(pthread_mutex_t **p, pthread_mutex_t *v) { *p = v; }
void init@(struct K@ *k) { k->m = &m@; k->d = &x@; k->flag = 1; k->self = k; }
void spoil@(struct K@ *k, int c) { ‹if (c) k->m = &n@;¦k->flag = c;¦k->d = c ? &y@ : &x@;¦k->self->m = &n@;¦;› }
void *f@(void *arg) {
  pthread_mutex_t *lp = &m@; pthread_mutex_t **pp = &lp; struct K@ k; struct K@ *kp = &k; struct K@ two[2]; int i = on@;
  init@(&k); init@(&two[0]); init@(&two[1]);
  ‹*pp = &n@;¦set@(&lp, &n@);¦set@(&kp->m, &n@);¦kp->flag = 0;¦spoil@(kp, on@);¦two[i].m = &n@;¦(&two[0])[i].flag = 0;¦memset(&k.flag, 0, 4);¦struct K@ w = k; w.m = &n@; k = w;¦((pthread_mutex_t **)&k)[0] = &n@;¦;¦;›
  ‹LOCK(lp); x@++; UNLOCK(lp);¦LOCK(k.m); (*k.d)++; UNLOCK(k.m);¦if (k.flag) LOCK(&m@); x@++; if (k.flag) UNLOCK(&m@);¦LOCK(two[‹0¦1¦i›].m); x@++; UNLOCK(two[‹0¦1¦i›].m);¦if (two[0].flag) LOCK(&m@); x@++; if (two[0].flag) UNLOCK(&m@);›
  return NULL;
}
void *g@(void *arg) { LOCK(&m@); x@++; UNLOCK(&m@); return NULL; }
-- setup
pthread_t a@, b@;
on@ = ‹0¦1›;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, g@, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

REGISTERS_IN_LOOPS = """
struct N@ { int v; pthread_mutex_t lock; struct N@ *next; }; struct N@ n2@ = {0, PTHREAD_MUTEX_INITIALIZER, NULL};
struct N@ n1@ = {0, PTHREAD_MUTEX_INITIALIZER, &n2@}; struct N@ n0@ = {0, PTHREAD_MUTEX_INITIALIZER, &n1@}; struct N@ *root@ = &n0@;
pthread_mutex_t l@[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}; int d@[3];
void *f@(void *arg) {
  struct N@ *p = &n0@; struct N@ *prev = p; int i; int j = 0;
  for (i = 0; i < 2; i++) {
    LOCK(‹&p->lock¦&l@[i]›);
    ‹p->v++;¦prev->v++;¦d@[i]++;¦d@[j]++;›
    ‹UNLOCK(&p->lock);¦UNLOCK(&l@[i]);¦if (i) UNLOCK(&l@[i]); else UNLOCK(&l@[0]);¦UNLOCK(&prev->lock);›
    ‹prev = p;¦;›
    ‹p = p->next;¦p = root@;¦;›
    ‹j = i;¦;›
    ‹prev->v = 3;¦;¦;›
  }
  return NULL;
}
void *g@(void *arg) {
  struct N@ *p = ‹&n0@¦&n1@›; int i = ‹0¦1›;
  LOCK(‹&p->lock¦&l@[i]›);
  ‹p->v++;¦d@[i]++;›
  UNLOCK(‹&p->lock¦&l@[i]›);
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@¦g@›, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

ID_GAMES = """
pthread_t t@[3]; pthread_t *tp@ = t@; pthread_t keep@; int x@; int y@[2];
void *f@(void *arg) { ‹x@++;¦y@[(long)arg]++;› return NULL; }
void save@(pthread_t *p, pthread_t v) { *p = v; }
-- setup
int i@; pthread_t u@; pthread_t v@;
-- create
for (i@ = 0; i@ < 2; i@++) {
  ‹SPAWN(&t@[i@], f@, (void *)(long)i@);¦SPAWN(&u@, f@, (void *)(long)i@); t@[i@] = u@;¦SPAWN(&u@, f@, (void *)(long)i@); save@(&t@[i@], u@);¦SPAWN(tp@ + i@, f@, (void *)(long)i@);¦SPAWN(&t@[i@], f@, (void *)(long)i@); if (i@ == 0) keep@ = t@[0];›
  ‹JOIN(t@[i@]);¦;¦;›
  ‹x@ = 1;¦;¦;›
}
‹t@[0] = t@[1];¦t@[1] = t@[0];¦u@ = t@[0]; t@[0] = t@[1]; t@[1] = u@;¦tp@[0] = 0;¦memset(t@, 0, 8);¦t@[2] = t@[1]; t@[1] = t@[0];¦save@(&t@[1], t@[0]);¦;¦;¦;›
-- middle
‹y@[0] = 1;¦;¦;›
-- join
‹for (i@ = 0; i@ < 2; i@++) JOIN(t@[i@]);¦for (i@ = 0; i@ < 2; i@++) JOIN(tp@[i@]);¦JOIN(t@[0]); JOIN(t@[1]);¦for (i@ = 0; i@ < 3; i@++) if (t@[i@]) JOIN(t@[i@]);¦JOIN(t@[0]); ‹JOIN(t@[2]);¦JOIN(keep@);›¦for (i@ = 1; i@ < 2; i@++) JOIN(t@[i@]);›
-- end
x@ = y@[0] + y@[1];
"""


# -- what a thread knows, and what others change meanwhile

READ_BACK = """
struct N@ { int mode; pthread_mutex_t *lock; struct N@ *next; int v; }; struct N@ *g@; int x@;
pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;
struct N@ *make@(int k) { struct N@ *p = calloc(1, sizeof *p); p->mode = k; p->lock = &m@; p->next = p; return p; }
void show@(struct N@ *p) { LOCK(&n@); g@ = p; UNLOCK(&n@); }
void *f@(void *arg) {
  struct N@ *p = ‹make@(‹0¦1›)¦make@(__VERIFIER_nondet_int())›; int c; pthread_mutex_t *l; struct N@ *q;
  ‹if (p->mode) return NULL;¦;›
  ‹show@(p);¦LOCK(&n@); g@ = p; UNLOCK(&n@);¦show@(p->next);¦q = make@(0); q->next = p; show@(q);¦;›
  LOCK(&n@);
  c = p->mode; l = p->lock; q = p->next;
  UNLOCK(&n@);
  ‹if (c) x@ = 1;¦if (!c) x@ = 1;¦LOCK(l); x@ = 1; UNLOCK(l);¦if (c) LOCK(&m@); x@++; if (c) UNLOCK(&m@);¦LOCK(&n@); q->v++; UNLOCK(&n@);¦LOCK(q->lock); x@++; UNLOCK(q->lock);›
  return NULL;
}
void *h@(void *arg) {
  LOCK(&n@);
  if (g@) { ‹g@->mode = ‹0¦1›;¦g@->lock = &n@;¦g@->next = g@;¦;› }
  UNLOCK(&n@);
  ‹x@ = 2;¦LOCK(&m@); x@ = 2; UNLOCK(&m@);¦;›
  return NULL;
}
-- setup
pthread_t a@, b@, c@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, h@, NULL);
‹SPAWN(&c@, f@, NULL); JOIN(c@);¦;›
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

GIVEN_AND_CHANGED = """
struct N@ { int mode; pthread_mutex_t *lock; int *d; }; int x@; int y@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  struct N@ *p = arg; int c; pthread_mutex_t *l;
  ‹LOCK(&n@); c = p->mode; l = p->lock; UNLOCK(&n@);¦c = p->mode; l = p->lock;›
  ‹if (c) x@ = 1;¦if (!c) x@ = 1;¦LOCK(l); x@ = 1; UNLOCK(l);¦if (c) LOCK(&m@); x@++; if (c) UNLOCK(&m@);¦(*p->d)++;›
  return NULL;
}
void fill@(struct N@ *p, int k) { p->mode = k; p->lock = k ? &m@ : &n@; p->d = &x@; }
void run@(int k) {
  struct N@ l; struct N@ *p = ‹&l¦calloc(1, sizeof *p)›; pthread_t t;
  fill@(p, k);
  SPAWN(&t, f@, p);
  ‹LOCK(&n@); p->mode = 1 - k; UNLOCK(&n@);¦LOCK(&n@); p->lock = &m@; UNLOCK(&n@);¦LOCK(&n@); fill@(p, 1); UNLOCK(&n@);¦;›
  ‹x@ = 2;¦LOCK(&m@); x@ = 2; UNLOCK(&m@);¦LOCK(p->lock); x@ = 3; UNLOCK(p->lock);¦;›
  ‹if (p->mode) x@ = 4;¦;›
  JOIN(t);
}
-- setup
-- create
run@(‹0¦1¦__VERIFIER_nondet_int() & 1›);
‹run@(1);¦;›
-- middle
-- join
-- end
"""

CHANGED_BETWEEN = """
pthread_mutex_t l@[2]; int mode@; int x@; int d@[4]; int lim@; int off@; struct S@ { pthread_mutex_t lock; int v; }; struct S@ s@[2]; struct S@ *gp@; pthread_t t@[2]; int n@; pthread_mutex_t *lp@; pthread_once_t o@[2];
void init@(void) { x@++; }
void set@(int k) { mode@ = k & 1; lim@ = 1 + (k & 1); off@ = k & 1; gp@ = &s@[k & 1]; ‹lp@ = &l@[mode@];¦;› }
void derive@(void) { lp@ = &l@[mode@]; }
void *f@(void *arg) { ‹struct S@ *p = arg; LOCK(&p->lock); x@++; UNLOCK(&p->lock);¦struct S@ *p = arg; p[‹0¦off@›].v++;¦LOCK(lp@); x@++; UNLOCK(lp@);¦long k = (long)arg; LOCK(&l@[k & 1]); x@++; UNLOCK(&l@[k & 1]);¦pthread_once(&o@[(long)arg & 1], init@);¦d@[(long)arg & 3]++;› return NULL; }
void go@(void) { ‹SPAWN(&t@[n@ & 1], f@, gp@); n@++;¦SPAWN(&t@[n@ & 1], f@, (void *)(long)mode@); n@++;¦int i; for (i = 0; i < lim@; i++) SPAWN(&t@[i], f@, ‹(void *)(long)(off@ + i)¦&s@[i]›);› }
void end@(void) { ‹int i; for (i = 0; i < lim@; i++) { JOIN(t@[i]); ‹d@[off@ + i] = 1;¦;› }¦JOIN(t@[0]);¦;› }
int need@(void) { if (!mode@) pthread_exit(NULL); return lim@; }
void own@(void) { ‹LOCK(&l@[mode@]); x@++; UNLOCK(&l@[mode@]);¦if (mode@) LOCK(&l@[1]); x@++; if (mode@) UNLOCK(&l@[1]);¦d@[off@]++;¦LOCK(&gp@->lock); x@++; UNLOCK(&gp@->lock);¦s@[0].v = 1;¦pthread_once(&o@[mode@], init@); x@++;¦;› }
-- setup
set@(__VERIFIER_nondet_int());
‹derive@();¦;›
-- create
‹need@();¦own@();¦;›
‹go@();¦go@(); own@();›
set@(‹__VERIFIER_nondet_int()¦0¦1›);
‹go@();¦own@();¦;›
-- middle
‹end@();¦set@(1); end@();¦;›
-- join
own@();
‹x@ = 5;¦d@[1] = 5;¦;›
-- end
"""

COMPLICATED_FLAGS = """
‹t:int¦char¦unsigned char¦long¦short› fl@ = ‹0¦1¦-1¦200›; int x@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; struct F@ { short lo; short hi; } w@ = {‹0¦1›, ‹0¦2›};
void *f@(void *arg) {
  x@ = 1;
  LOCK(&m@);
  ‹fl@ = ‹0¦1¦2¦-1¦200›;¦w@.‹lo¦hi› = ‹0¦1¦2›;¦*(int *)&w@ = ‹0¦1¦65536›;¦fl@ = __VERIFIER_nondet_int();›
  UNLOCK(&m@);
  return NULL;
}
void *g@(void *arg) {
  LOCK(&m@);
  ‹‹=t› v = fl@;¦int v = fl@;¦char v = fl@;¦int v = w@.‹lo¦hi›;¦int v = *(int *)&w@;¦int v = *(char *)&fl@;¦unsigned v = fl@;¦_Bool v = fl@;›
  UNLOCK(&m@);
  if (v ‹==¦!=¦>¦<› ‹0¦1¦2¦-1¦200›) x@++;
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, g@, NULL);
-- middle
‹LOCK(&m@); fl@ = ‹0¦1›; UNLOCK(&m@);¦;¦;›
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

NUMBERS = """
pthread_mutex_t l@[4]; int d@[8]; unsigned u@; char c@; unsigned char b@; long w@; int i@;
int idx@(int k) { return ‹k & 1¦k % 2¦(char)k¦(unsigned char)k¦k >> 1¦k / 2¦k ^ 1¦k << 1¦~k & 1¦-k & 1¦k ? 1 : 0¦(k + 256) & 255¦(int)(unsigned char)(k + 255)› & 3; }
void *f@(void *arg) {
  ‹long¦int¦unsigned¦char¦short¦unsigned char› k = (long)arg;
  LOCK(&l@[‹idx@(k)¦k & 3¦(k + 1) & 3¦k % 2¦k / 2 & 3›]);
  d@[‹idx@(k)¦k & 3¦(k + 1) & 3¦k % 2¦2 * k & 7¦k / 2 & 3›]++;
  UNLOCK(&l@[‹idx@(k)¦k & 3¦(k + 1) & 3¦k % 2¦k / 2 & 3›]);
  return NULL;
}
-- setup
pthread_t t@[3]; int j@;
-- create
‹for (j@ = 0; j@ < 2; j@++) SPAWN(&t@[j@], f@, (void *)(long)(‹j@¦2 * j@¦j@ + 255¦j@ * 256¦-j@¦3 - j@¦1 - 2 * j@›));¦SPAWN(&t@[0], f@, (void *)‹0L¦1L¦256L¦-1L›); SPAWN(&t@[1], f@, (void *)‹0L¦1L¦257L¦2L¦255L›);›
-- middle
‹d@[0] = 1;¦;¦;¦;›
-- join
for (j@ = 0; j@ < 2; j@++) JOIN(t@[j@]);
-- end
d@[1] = d@[0];
"""

OWN_ELEMENTS = """
struct E@ { int a; int b; } e@[4]; int flat@[8]; int *base@ = flat@; int k@ = 1;
void *f@(void *arg) { long i = (long)arg; ‹e@[i].a = 1;¦e@[i].‹a¦b› = e@[‹i¦i + 1¦1 - i¦0›].b;¦flat@[2 * i] = flat@[2 * i + ‹1¦2›];¦flat@[i * k@]++;¦base@[i + ‹0¦1›]++;¦memset(&flat@[2 * i], 0, ‹8¦12¦4›);¦e@[i] = e@[‹3¦i¦2›];¦*(long *)&flat@[‹2 * i¦i›] = 1;¦(i ? &e@[1] : &e@[0])->a++;¦flat@[i & ‹1¦0›]++;› return NULL; }
void *g@(void *arg) { struct E@ *p = arg; ‹p->a++;¦p[‹0¦1›].b++;¦p->b = p[-1 + ‹1¦2›].a;¦*p = e@[3];¦memset(p, 0, ‹4¦8¦12›);¦((int *)p)[‹0¦1¦2›]++;› return NULL; }
-- setup
pthread_t t@[2]; int i@;
-- create
for (i@ = 0; i@ < 2; i@++) {
  ‹e@[i@].a = 3;¦e@[‹i@ + 1¦1 - i@›].b = 3;¦;¦;›
  SPAWN(&t@[i@], ‹f@, (void *)(long)i@¦g@, &e@[i@]¦g@, &e@[‹2 * i@¦i@ + 1¦1 - i@¦0›]¦f@, (void *)(long)(‹2 * i@¦1 - i@›)¦f@, (void *)(i@ ? 1L : 0L)›);
  ‹e@[i@].b = 4;¦e@[3].a = 4;¦flat@[2 * i@ + 1] = 4;¦;¦;›
}
-- middle
‹flat@[‹0¦1¦3›] = 2;¦e@[‹1¦2›].a = 2;¦;¦;›
-- join
for (i@ = 0; i@ < 2; i@++) { JOIN(t@[i@]); ‹e@[‹i@¦0¦1¦1 - i@›].a++;¦flat@[‹i@¦2 * i@¦2›]++;¦;› }
-- end
e@[0].a = e@[1].b;
"""

# -- threads that count themselves in and out

COUNTED_OUT = """
int alive@ = «0¦1¦-1»; int data@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;
void leave@(void) {
  LOCK(«&m@¦&n@»);
  «alive@--¦alive@ -= 2¦alive@ = 0¦alive@ = alive@ - 1¦--alive@; alive@--»;
  pthread_cond_signal(&c@);
  UNLOCK(«&m@¦&n@»);
}
void *f@(void *arg) {
  LOCK(&n@); ‹data@++¦data@ = 1›; UNLOCK(&n@);
  «leave@();¦if (__VERIFIER_nondet_int()) leave@();¦leave@(); leave@();¦leave@(); data@ = 2;»
  return NULL;
}
void *g@(void *arg) { ‹f@(arg);¦LOCK(&n@); data@ = 3; UNLOCK(&n@);› return NULL; }
-- setup
pthread_t a@;
-- create
for (int i@ = 0; i@ < ‹1¦2›; i@++) {
  «LOCK(&m@); alive@++; UNLOCK(&m@);¦LOCK(&m@); if (__VERIFIER_nondet_int()) alive@++; UNLOCK(&m@);¦LOCK(&m@); alive@ = 1; UNLOCK(&m@);¦alive@++;»
  SPAWN(&a@, «f@¦g@», NULL);
  «;¦SPAWN(&a@, f@, NULL);»
}
-- middle
«;¦LOCK(&m@); alive@--; UNLOCK(&m@);¦LOCK(&m@); alive@++; UNLOCK(&m@);»
-- join
LOCK(«&m@¦&n@»);
«while¦if» (alive@ ‹!= 0¦> 0¦>= 1›) pthread_cond_wait(&c@, «&m@¦&n@»);
UNLOCK(«&m@¦&n@»);
«;¦SPAWN(&a@, f@, NULL);¦LOCK(&m@); alive@++; UNLOCK(&m@); SPAWN(&a@, f@, NULL);»
-- end
‹data@ = 5;¦if (data@) data@++;›
"""

COUNTED_AFTER_CREATION = """
int alive@; int data@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;
void *f@(void *arg) {
  data@ = ‹0¦(int)(long)arg›;
  LOCK(&m@);
  if («--alive@ == 0¦alive@-- < 2») pthread_cond_broadcast(&c@);
  UNLOCK(&m@);
  «;¦data@ = 4;»
  return NULL;
}
int left@(void) { LOCK(&m@); int r = alive@; UNLOCK(&m@); return r; }
-- setup
pthread_t a@;
-- create
SPAWN(&a@, f@, (void *)1L);
LOCK(&m@);
«alive@++¦;¦alive@ += 2»;
UNLOCK(&m@);
-- middle
-- join
‹LOCK(&m@); while (alive@ != «0¦1¦-1») pthread_cond_wait(&c@, &m@); UNLOCK(&m@);¦if (left@() != «0¦1¦-1») abort();¦if («left@() > 0¦left@()¦left@() < 0») exit(0);¦LOCK(&m@); int r@ = alive@; UNLOCK(&m@); «;¦SPAWN(&a@, f@, NULL);» if (r@) exit(1);›
-- end
data@ = 6;
"""

COUNTED_IN = """
int alive@ = «0¦-1¦1»; int data@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t d@ = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;
void *f@(void *arg) {
  LOCK(&m@); «alive@++¦alive@ += 2¦;»; pthread_cond_signal(&c@); UNLOCK(&m@);
  «LOCK(&d@); data@ = 1; UNLOCK(&d@);¦data@ = 1;»
  LOCK(&m@); «alive@--¦alive@ -= 2»; pthread_cond_signal(&c@); UNLOCK(&m@);
  «;¦data@ = 2;»
  return NULL;
}
-- setup
pthread_t a@; int n@ = ‹1¦2¦__VERIFIER_nondet_int() & 1›;
-- create
for (int i@ = 0; i@ < n@; i@++) { SPAWN(&a@, f@, NULL); «;¦SPAWN(&a@, f@, NULL);» }
-- middle
«;¦n@ = n@ - 1;»
-- join
LOCK(&m@); «while (alive@ ‹!= n@¦< n@› «¦- 1») pthread_cond_wait(&c@, &m@);¦if (alive@ != n@) abort();¦» UNLOCK(&m@);
LOCK(&m@); while (alive@ ‹> 0¦!= 0›) pthread_cond_wait(&c@, &m@); UNLOCK(&m@);
-- end
data@ = 3;
"""

COUNTED_FROM_THE_START = """
‹k:int¦unsigned¦long› left@ = «2¦1¦3»; int n@ = «2¦1»; int data@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c@ = PTHREAD_COND_INITIALIZER; pthread_mutex_t d@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  «LOCK(&d@); data@ = 1; UNLOCK(&d@);¦data@ = 1;»
  LOCK(&m@); left@--; pthread_cond_signal(&c@); UNLOCK(&m@);
  return NULL;
}
void start@(pthread_t *p) { for (int i = 0; i < n@; i++) SPAWN(p, f@, NULL); }
void init@(void) { left@ = n@; }
-- setup
pthread_t a@;
‹;¦left@ = n@;¦init@();¦left@ = «2¦1»;›
-- create
‹for (int i@ = 0; i@ < «n@¦2»; i@++) SPAWN(&a@, f@, NULL);¦start@(&a@);›
-- middle
«;¦n@ = 1;¦LOCK(&m@); left@ = 1; UNLOCK(&m@);»
-- join
LOCK(&m@); while (left@ ‹!= 0¦> 0›) pthread_cond_wait(&c@, &m@); UNLOCK(&m@);
-- end
data@ = 3;
"""

COUNTED_ATOMICALLY = """
atomic_int left@ = «0¦1¦2»; int data@; int cell@[2];
void *f@(void *arg) {
  «*(int *)arg = 1;¦data@ = 1;»
  «atomic_fetch_add_explicit(&left@, -1, «REL¦AR¦RLX¦ACQ»);¦left@--;¦ASTORE(&left@, ALOAD(&left@, SEQ) - 1, SEQ);»
  «;¦data@ = 2;»
  return NULL;
}
-- setup
pthread_t a@;
-- create
for (int i@ = 0; i@ < ‹1¦2›; i@++) {
  «atomic_fetch_add_explicit(&left@, 1, ‹RLX¦SEQ›);¦left@ = 1;»
  SPAWN(&a@, f@, &cell@[i@]);
}
-- middle
«;¦ASTORE(&left@, 0, SEQ);¦left@--;»
-- join
‹if (ALOAD(&left@, «ACQ¦SEQ¦RLX») != 0) exit(0);¦while (ALOAD(&left@, «ACQ¦RLX») > 0) ;›
-- end
data@ = 3;
cell@[‹0¦1›] = 1;
"""

JOINED_AND_COUNTED = """
int alive@ = «0¦1¦-1»; int data@; pthread_t t@[3]; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;
void leave@(void) {
  LOCK(«&m@¦&n@»);
  «alive@--¦alive@ -= 2¦alive@ = 0¦alive@ = alive@ - 1¦--alive@; alive@--»;
  pthread_cond_signal(&c@);
  UNLOCK(«&m@¦&n@»);
}
void *f@(void *arg) {
  LOCK(&n@); ‹data@++¦data@ = 1›; UNLOCK(&n@);
  «;¦leave@();¦if (__VERIFIER_nondet_int()) leave@();»
  return NULL;
}
void *g@(void *arg) { return NULL; }
void *h@(void *arg) {
  for (int i = 0; i < «2¦1»; i++) {
    «JOIN(t@[i]);¦;¦if (i == 0) JOIN(t@[i]);¦if (pthread_tryjoin_np(t@[i], NULL) != 0) return NULL;¦pthread_tryjoin_np(t@[i], NULL);¦JOIN(t@[2 * i]);¦leave@(); JOIN(t@[i]); continue;¦if (pthread_join(t@[i], NULL)) continue;»
    «leave@();¦LOCK(&m@); alive@--; pthread_cond_signal(&c@); UNLOCK(&m@);¦if (__VERIFIER_nondet_int()) leave@();¦leave@(); leave@();»
    «;¦data@ = 7;»
  }
  return NULL;
}
-- setup
pthread_t a@;
-- create
for (int i = 0; i < 2; i++) {
  ‹LOCK(&m@); alive@++; UNLOCK(&m@); SPAWN(&t@[i], «f@¦h@», NULL);¦SPAWN(&t@[i], f@, NULL); LOCK(&m@); «alive@++¦alive@ = 2¦;¦alive@ += 2»; UNLOCK(&m@);›
}
«;¦SPAWN(&t@[2], g@, NULL);¦SPAWN(&t@[2], f@, NULL);»
SPAWN(&a@, «h@¦f@», NULL);
-- middle
«;¦LOCK(&m@); alive@--; UNLOCK(&m@);¦LOCK(&m@); alive@++; UNLOCK(&m@);»
-- join
LOCK(«&m@¦&n@»);
«while¦if» (alive@ ‹!= 0¦> 0¦>= 1›) pthread_cond_wait(&c@, «&m@¦&n@»);
UNLOCK(«&m@¦&n@»);
«;¦SPAWN(&a@, f@, NULL);¦LOCK(&m@); alive@++; UNLOCK(&m@); SPAWN(&a@, f@, NULL);»
-- end
‹data@ = 5;¦if (data@) data@++;›
"""

TOKENS = """
int alive@; int cell@[4]«¦ = {0, 1}»; pthread_t t@[2]; pthread_t last@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t l@[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
void *f@(void *arg) {
  long i = (long)arg«¦ + 1¦ / 2»;
  LOCK(&l@[«i¦1¦i + 1»]); cell@[i] = «1¦i + 1»; UNLOCK(&l@[«i¦1¦i + 1»]);
  «;¦LOCK(&l@[i]); cell@[i] = 1; UNLOCK(&l@[i]);¦LOCK(&l@[1 - i]); cell@[1 - i] = 1; UNLOCK(&l@[1 - i]);»
  return NULL;
}
void *h@(void *arg) {
  for (int n = 0; n < ‹2¦2¦3›; n++) {
    int i = ‹n¦n & 1›;
    LOCK(&l@[«i¦1 - i¦1»]);
    int c = cell@[i];
    «;¦UNLOCK(&l@[i]); LOCK(&l@[i]);¦cell@[i] = 0;»
    if («c¦c == 1¦c != 0¦c >= 0¦cell@[i] > 0») {
      ‹o:;¦cell@[i] = 0;›
      «JOIN(t@[i]);¦JOIN(t@[1 - i]);¦last@ = t@[i];¦JOIN(t@[i]); LOCK(&m@); alive@--; UNLOCK(&m@);¦UNLOCK(&l@[i]); LOCK(&l@[i]); JOIN(t@[i]);»
      «LOCK(&m@); alive@--; UNLOCK(&m@);¦»
      «;¦last@ = t@[i];¦if (cell@[i]) { last@ = t@[i]; }¦UNLOCK(&l@[i]); LOCK(&l@[i]);»
      «cell@[i] = 0;¦¦cell@[1 - i] = 0;¦cell@[i] = 1;¦if (n == 0) cell@[i] = 0;»
    }
    UNLOCK(&l@[«i¦1 - i¦1»]);
  }
  return NULL;
}
void *p@(void *arg) {
  for (int i = 0; i < 2; i++) { LOCK(&l@[i]); if (cell@[i] «!= 0¦>= 0») last@ = t@[«i¦1 - i»]; UNLOCK(&l@[i]); }
  return NULL;
}
-- setup
pthread_t a@; long n@ = ‹2¦2¦1›;
‹SPAWN(&a@, h@, NULL);¦SPAWN(&a@, h@, NULL);¦;›
-- create
for (long i = 0; i < n@; i++) {
  «;¦LOCK(&m@); alive@++; UNLOCK(&m@);»
  SPAWN(&t@[i], f@, (void *)«i¦(n@ - i)»);
  «LOCK(&m@); alive@++; UNLOCK(&m@);¦;»
  «;¦t@[i] = 0;»
}
‹;¦SPAWN(&a@, ‹p@¦p@¦h@›, NULL);›
-- middle
-- join
LOCK(&m@);
int r@ = alive@;
UNLOCK(&m@);
-- end
if (r@ «==¦<=¦>=» 0) { t@[‹0¦1›] = 0; «;¦cell@[‹0¦1›] = 2;» }
"""

TOKENS_IN_STRUCTS = (
    re.sub(r"cell@\[([^\]]*)\](?!«)", r"cell@[\1].v", TOKENS)
    .replace(
        "int cell@[4]«¦ = {0, 1}»;",
        "struct C@ { int v; int w; } cell@[4]«¦ = {{0, 0}, {1, 0}}»; ‹k:int dummy@;¦struct C@ full@ = {«0¦1», 1};›",
    )
    .replace("  return NULL;", "  LOCK(&l@[1]); «cell@[1].w = 1;¦cell@[1] = full@;» UNLOCK(&l@[1]);\n  return NULL;", 1)
)

# -- names that mean one thing now and another later

CHANGED_RANGE = """
pthread_t t@[3]; int data@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; int n@ = ‹2¦1›;
void *f@(void *arg) { LOCK(&m@); data@++; UNLOCK(&m@); return NULL; }
void set@(int *p) { *p = __VERIFIER_nondet_int() & 1; }
void run@(int phase, int k) {
  for (int i = 0; i < «k¦n@»; i++) { if (phase) SPAWN(&t@[i], f@, NULL); else JOIN(t@[i]); }
}
void start@(int k) { for (int i = 0; i < «k¦n@»; i++) SPAWN(&t@[i], f@, NULL); }
void finish@(int k) { for (int i = 0; i < «k¦n@»; i++) JOIN(t@[i]); }
-- setup
int k@ = __VERIFIER_nondet_int() & 1;
«;¦n@ = k@;¦set@(&n@);¦set@(&k@);»
-- create
‹start@(k@);¦run@(1, k@);¦for (int i@ = 0; i@ < «k@¦n@»; i@++) SPAWN(&t@[i@], f@, NULL);›
-- middle
«;¦n@ = __VERIFIER_nondet_int() & 1;¦set@(&n@);¦set@(&k@);¦k@ = 1 - k@;»
-- join
‹finish@(k@);¦run@(0, k@);¦for (int i@ = 0; i@ < «k@¦n@»; i@++) JOIN(t@[i@]);›
-- end
data@ = 7;
"""

CHANGED_POINTER = """
pthread_t t@[2]; int a@[6]; int *buf@; int *old@;
void *f@(void *arg) { *(int *)arg = 1; return NULL; }
void *g@(void *arg) { *buf@ = 1; return NULL; }
int pick@(void) { return __VERIFIER_nondet_int() & 1; }
void start@(void) { ‹SPAWN(&t@[0], f@, buf@);¦for (int i = 0; i < 2; i++) SPAWN(&t@[i], f@, &buf@[i]);¦SPAWN(&t@[0], g@, NULL);› }
void keep@(void) { old@ = buf@; }
void use@(void) { ‹buf@¦old@›[‹1¦2¦0›] = 2; }
-- setup
buf@ = a@ + pick@();
keep@();
«;¦buf@ = a@ + 2 + pick@();»
-- create
start@();
-- middle
«;¦buf@ = a@ + pick@();¦buf@ = a@ + 2;»
use@();
-- join
-- end
"""

ROUND_WITH_A_JUMP = """
int a@[3]; pthread_t t@;
void *f@(void *arg) { *(int *)arg = 1; return NULL; }
-- setup
int k@ = ‹0¦1¦2›;
-- create
for (int i@ = 0; i@ < 2; i@++) {
  if (‹0¦1¦__VERIFIER_nondet_int() > 0›) goto second@;
first@:
  k@--;
second@:
  SPAWN(&t@, f@, &a@[i@]);
  if (k@ > 0) goto first@;
}
-- middle
-- join
-- end
a@[2] = 1;
"""

# -- an object with the id of the thread that works on it

ID_IN_OBJECT = """
struct W@ { ‹int before;¦› pthread_t id; int data; };
struct W@ *seen@;
void *f@(void *arg) {
  struct W@ *w = arg;
  w->data = 1;
  «;¦w->id = pthread_self();¦seen@ = w;»
  return NULL;
}
-- setup
struct W@ *w@[2]; pthread_t other@;
-- create
for (int i@ = 0; i@ < 2; i@++) {
  struct W@ *p@ = malloc(sizeof *p@);
  ‹p@->data = 0;¦›
  «w@[i@] = p@;¦w@[0] = w@[1] = p@;¦if (i@) p@ = w@[0]; else w@[i@] = p@;»
  SPAWN(«&p@->id¦&other@», f@, p@);
  «;¦w@[i@]->data = 2;¦p@->data = 2;»
}
-- middle
«;¦pthread_t x@ = w@[0]->id; w@[0]->id = w@[1]->id; w@[1]->id = x@;»
-- join
for (int i@ = 0; i@ < 2; i@++) {
  JOIN(w@[«i@¦1 - i@»]->id);
  «;¦w@[1 - i@]->data = 4;¦w@[1]->data = 3;»
  ‹free(w@[i@]);¦w@[i@]->data = 2;›
}
-- end
"""

HIDDEN_IN_A_TABLE = """
struct H@ { int v; struct H@ *next; }; struct H@ *shared@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  struct H@ *p = arg;
  ‹if (p) p->v = 1;¦LOCK(&m@); if (shared@) shared@->v = 2; UNLOCK(&m@);›
  return NULL;
}
void give@(struct H@ **t, int i) { LOCK(&m@); shared@ = t[i]; UNLOCK(&m@); }
struct H@ *make@(struct H@ **t, int i) { struct H@ *p = calloc(1, sizeof *p); t[i] = p; return p; }
struct H@ look@(struct H@ **t, int i) { return *t[i]; }
-- setup
struct H@ *t@[2] = {NULL, NULL}; pthread_t a@, b@;
‹struct H@ **u@ = t@;¦struct H@ **u@ = calloc(2, sizeof *u@);›
struct H@ *p@ = ‹make@(u@, 0)¦calloc(1, sizeof *p@)›;
«u@[0] = p@;¦u@[1] = p@; u@[0] = p@;¦»
struct H@ *q@ = calloc(1, sizeof *q@);
«;¦p@->next = q@; u@[1] = q@;»
-- create
SPAWN(&a@, f@, NULL);
«;¦give@(u@, 0);¦LOCK(&m@); shared@ = u@[0]; UNLOCK(&m@);¦struct H@ h@; if (u@[0]) { h@ = look@(u@, 0); LOCK(&m@); shared@ = h@.next; UNLOCK(&m@); }¦LOCK(&m@); memcpy(&shared@, u@, sizeof shared@); UNLOCK(&m@);»
p@->v = 4;
q@->v = 5;
SPAWN(&b@, f@, ‹p@¦q@¦u@[0]›);
«;¦p@->v = 6;»
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
p@->v = q@->v;
"""

# -- numbers drawn from a counter

DRAWN_INDEX = """
int next@ = ‹0¦1›; int cell@[8]; int other@[8]; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;
int draw@(void) {
  LOCK(«&m@¦&n@»);
  ‹int k = next@++;¦int k = next@; «next@++¦next@ += 2¦;¦next@--¦next@ = next@ + 1»;¦int k = ++next@;¦int k = next@; «;¦UNLOCK(&m@); LOCK(&m@);» next@++;¦next@++; int k = next@;›
  UNLOCK(«&m@¦&n@»);
  return k;
}
void *f@(void *arg) {
  int k = draw@();
  ‹k = draw@();¦;¦int j = draw@(); other@[j] = 2;›
  cell@[«k¦k / 2¦k & 1»] = 1;
  ‹other@[k] = 3;¦›
  «;¦LOCK(&m@); next@--; UNLOCK(&m@);¦cell@[k + 1] = 2;»
  return NULL;
}
void *g@(void *arg) { LOCK(&m@); «;¦next@ = 0;¦next@ -= 1;» int k = next@; UNLOCK(&m@); «;¦cell@[k] = 4;» return NULL; }
-- setup
pthread_t a@, b@;
«;¦int w@ = draw@();»
«;¦next@ = 0;»
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
‹int z@ = draw@(); cell@[z@] = 7;¦«;¦cell@[w@] = 5;¦LOCK(&m@); next@ = 0; UNLOCK(&m@);»›
-- join
JOIN(a@);
JOIN(b@);
-- end
"""

DRAWN_ATOMICALLY = """
atomic_int next@; int cell@[6];
void *f@(void *arg) {
  for (int i = 0; i < ‹1¦2›; i++) {
    int k = «atomic_fetch_add_explicit(&next@, «1¦2¦0¦-1», ‹RLX¦AR›)¦ALOAD(&next@, SEQ)»;
    if (k >= 4 || k < 0) «break¦k = 0»;
    cell@[k] = 1;
    «;¦next@ = 0;¦atomic_fetch_add_explicit(&next@, -1, REL);»
  }
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, f@, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
cell@[0] = 2;
"""

DRAWN_WHILE_LEFT = """
int next@ = 0; int cell@[6]; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  int k = 0;
  for (int round = 0; round < ‹1¦2›; round++) {
    LOCK(«&m@¦&n@»);
    «k = next@;¦if (round == 0) k = next@;»
    if (k >= ‹1¦2¦3›) { UNLOCK(&m@); «return NULL¦break¦;»; }
    «;¦UNLOCK(&m@); LOCK(&m@);¦if (k) { UNLOCK(&m@); LOCK(&m@); }»
    ‹next@ = k + 1¦next@++¦next@ = next@ + «1¦0»›;
    UNLOCK(«&m@¦&n@»);
    cell@[«k¦k / 2»] = 1;
    «;¦k = 0; cell@[k] = 2;»
  }
  return NULL;
}
-- setup
pthread_t a@, b@;
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, f@, NULL);
-- middle
-- join
JOIN(a@);
JOIN(b@);
-- end
cell@[0] = 2;
"""

# -- numbers borrowed from a mask of bits

BORROWED_NUMBER = """
int left@ = «7¦3¦-1»; int cell@[6]; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;
int borrow@(void) {
  int found = -1;
  LOCK(«&m@¦&n@»);
  for (int i = 0; i < ‹2¦3›; i++)
    if («left@ & (1 << i)¦1») {
      «;¦UNLOCK(&m@); LOCK(&m@);»
      left@ &= ~(1 << «i¦(i ^ 1)»);
      found = i;
      break;
    }
  UNLOCK(«&m@¦&n@»);
  return found;
}
void give@(int k) {
  LOCK(«&m@¦&n@»);
  «left@ |= 1 << «k¦(k ^ 1)»;¦left@ = 7;¦left@ ^= 1 << k;»
  UNLOCK(&m@);
}
void *f@(void *arg) {
  int k = ‹borrow@()¦(int)(long)arg›;
  if (k < 0) return NULL;
  «;¦give@(k);»
  cell@[«k¦k + 1»] = 1;
  ‹give@(k);¦;¦LOCK(&m@); left@ |= 1 << k; UNLOCK(&m@);›
  «;¦cell@[k] = 2;¦give@(k);»
  return NULL;
}
void *g@(void *arg) { int k = borrow@(); if (k >= 0) { cell@[k] = 3; give@(k); } return NULL; }
-- setup
pthread_t a@, b@;
int w@ = borrow@();
-- create
SPAWN(&a@, f@, (void *)(long)w@);
«;¦cell@[w@ & 3] = 4;»
‹int z@ = «borrow@()¦w@»;¦int z@ = «-1¦w@»;›
SPAWN(&b@, ‹f@¦g@›, (void *)(long)z@);
-- middle
‹int y@ = borrow@(); if (y@ >= 0) { cell@[y@] = 5; give@(y@); }¦;¦«;¦left@ = 7;»›
-- join
JOIN(a@);
JOIN(b@);
‹left@ = 7;¦›
-- end
cell@[0] = 2;
"""

# -- words that say whose turn it is

TICKET_LOCK = """
atomic_int next@; atomic_int now@ = «0¦1»; atomic_int more@; int x@; int y@;
void *f@(void *arg) {
  for (int i = 0; i < ‹1¦2›; i++) {
    int my = atomic_fetch_add_explicit(«&next@¦&more@», «1¦0», ‹RLX¦AR›);
    ‹int seen = 0; while ((seen = ALOAD(&now@, «ACQ¦RLX»)) != my) ;¦while (ALOAD(&now@, «ACQ¦RLX») != «my¦0») ;¦int seen = ALOAD(&now@, ACQ); if (seen != my) «return NULL¦;»;›
    x@++;
    «;¦if (ALOAD(&now@, ACQ) == my) y@++;»
    ‹atomic_fetch_add_explicit(&now@, 1, «REL¦RLX»);¦ASTORE(&now@, my + 1, «REL¦RLX»);¦ASTORE(&now@, ALOAD(&now@, RLX) + 1, REL);›
    «;¦x@++;¦atomic_fetch_add_explicit(&now@, 1, REL);¦ASTORE(&now@, my, REL);»
    «;¦int old = my; if (ALOAD(&now@, ACQ) == old) x@ = 3;»
  }
  return NULL;
}
void *g@(void *arg) { int my = atomic_fetch_add_explicit(«&next@¦&more@», 1, RLX); while (ALOAD(&now@, ACQ) != my) ; ‹x@ = 2¦y@ = x@›; ASTORE(&now@, my + 1, REL); return NULL; }
-- setup
pthread_t a@, b@;
‹;¦now@ = 0;¦x@ = 1;›
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
«;¦ASTORE(&now@, 1, REL);¦ASTORE(&next@, 0, REL);»
-- join
JOIN(a@);
JOIN(b@);
-- end
x@ = y@;
"""

TURN_LOCKED = """
int next@; int now@; int x@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;
void *f@(void *arg) {
  LOCK(«&m@¦&n@»);
  ‹int my = next@++;¦int my = (int)(long)arg;›
  ‹while (now@ != my) pthread_cond_wait(&c@, &m@);¦if (now@ != my) { UNLOCK(&m@); «return NULL¦LOCK(&m@)»; }›
  «;¦now@ = my + 1;»
  UNLOCK(«&m@¦&n@»);
  x@++;
  LOCK(«&m@¦&n@»);
  «now@++¦now@ = my + 1¦now@ = 1 - my¦now@ = 0»;
  pthread_cond_broadcast(&c@);
  UNLOCK(«&m@¦&n@»);
  «;¦x@ = 2;¦LOCK(&m@); now@ = my; UNLOCK(&m@);»
  return NULL;
}
-- setup
pthread_t t@[2];
-- create
for (long i = 0; i < 2; i++) SPAWN(&t@[i], f@, (void *)«i¦0L¦(i / 2)»);
-- middle
«;¦LOCK(&m@); now@ = 1; pthread_cond_broadcast(&c@); UNLOCK(&m@);¦now@ = 0;»
-- join
for (int i = 0; i < 2; i++) JOIN(t@[i]);
-- end
x@ = 5;
"""

TURN_BY_ARGUMENT = """
atomic_int turn@; int x@; int cell@[3];
void *f@(void *arg) {
  int me = (int)(long)arg;
  for (int i = 0; i < ‹1¦2›; i++) {
    «while (ALOAD(&turn@, «ACQ¦RLX») != «me¦1¦i») ;¦if (ALOAD(&turn@, ACQ) != me) return NULL;»
    x@++; cell@[‹me¦0›]++;
    «ASTORE(&turn@, «(me + 1) % 2¦me¦1 - me», «REL¦RLX»);¦;¦turn@ ^= 1;»
    «;¦x@ = 4;¦ASTORE(&turn@, me, REL);»
  }
  return NULL;
}
-- setup
pthread_t t@[3];
‹;¦turn@ = ‹0¦1›;›
-- create
for (int i = 0; i < 2; i++) SPAWN(&t@[i], f@, (void *)(long)«i¦(i / 2)¦0»);
«;¦SPAWN(&t@[2], f@, (void *)0L);»
-- middle
«;¦turn@ = 0;»
-- join
for (int i = 0; i < 2; i++) JOIN(t@[i]);
-- end
x@ = cell@[0];
"""

# -- loops in all directions

LOOPS_OF_THREADS = """
pthread_t t@[4]; int cell@[8]; int *base@ = cell@; int sum@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  long i = (long)arg;
  ‹base@[«i¦i / 2¦2 * i¦i + 1»] = 1;¦cell@[i] = 1; «;¦cell@[i + 1] = 2;»›
  ‹LOCK(&m@); sum@++; UNLOCK(&m@);¦;›
  return NULL;
}
-- setup
long n@ = ‹2¦1 + (__VERIFIER_nondet_int() & 1)›; long j@ = ‹0¦1›; long i@;
-- create
‹for (i@ = 0; i@ < n@; i@++) { «;¦base@[i@] = 0;¦base@[j@] = 0;» SPAWN(&t@[i@], f@, (void *)‹i@¦j@›); j@ += «1¦2¦i@¦-1¦0»; }¦for (i@ = n@ - 1; i@ >= 0; i@--) { SPAWN(&t@[i@], f@, (void *)i@); «;¦base@[i@] = 3;» }¦for (i@ = n@; i@ > 0; i@--) SPAWN(&t@[i@ - 1], f@, (void *)(i@ - 1));¦for (i@ = 1; i@ <= n@; i@++) SPAWN(&t@[i@ - 1], f@, (void *)i@);›
-- middle
«;¦sum@ = 1;¦n@--;¦base@ = cell@ + 1;¦base@[j@] = 1;»
-- join
‹for (i@ = n@ - 1; i@ «>=¦>» 0; i@--) { JOIN(t@[i@]); ‹base@[«i@¦i@ + 1¦n@ - 1 - i@»] = 4;¦;› }¦for (i@ = «0¦1»; i@ < n@; i@++) { JOIN(t@[i@]); ‹base@[«i@¦i@ + 1»] = 4;¦;› }¦for (i@ = n@; i@ > «0¦1»; i@--) JOIN(t@[i@ - 1]);¦i@ = n@; while (i@-- > 0) JOIN(t@[i@]);›
-- end
sum@ += cell@[0];
cell@[1] = 2;
"""

SECTION_WORD = """
int word@; int x@; int y@; ‹int other@;¦›
void __VERIFIER_atomic_swap@(int *w, int *old) { *old = *w; *w = «1¦2¦0¦*old + 1»; }
void __VERIFIER_atomic_change@(int *w, int from, int to, int *done) {
  if (*w == from) { *w = to; *done = «1¦0»; } else { *done = 0; }
}
void __VERIFIER_atomic_take@(void) { «__VERIFIER_assume(word@ == «0¦1»);¦» word@ = 1; }
void __VERIFIER_atomic_give@(void) { «word@ = 0;¦word@ = 2;¦» }
void *f@(void *p) {
  int old = 0, done = 1;
  ‹__VERIFIER_atomic_swap@(&word@, &old);¦__VERIFIER_atomic_change@(&word@, «0¦1», 1, &done);¦__VERIFIER_atomic_take@();¦__VERIFIER_atomic_begin(); old = word@; «¦__VERIFIER_atomic_end(); __VERIFIER_atomic_begin();» «¦old = 0;» word@ = 1; __VERIFIER_atomic_end();›
  if («old == 0 && done¦old == 0¦old != 1») {
    ‹x@++¦x@ = 1¦y@ = x@›;
    «__VERIFIER_atomic_give@();¦word@ = 0;¦»
    «;¦x@ = 2;»
  }
  «;¦__VERIFIER_atomic_give@();»
  return NULL;
}
void *g@(void *p) {
  int old = 0;
  __VERIFIER_atomic_swap@(«&word@¦&y@», &old);
  if (‹!old¦old == 0¦old < 1›) {
    ‹x@ = 3¦y@ = x@¦x@--›;
    __VERIFIER_atomic_begin(); «word@ = 0;¦» __VERIFIER_atomic_end();
  } else {
    «;¦__VERIFIER_atomic_begin(); word@ = 0; __VERIFIER_atomic_end();¦x@ = 4;»
  }
  return NULL;
}
-- setup
pthread_t a@, b@;
‹word@ = 0;¦;›
-- create
SPAWN(&a@, f@, NULL);
SPAWN(&b@, ‹f@¦g@›, NULL);
-- middle
«;¦__VERIFIER_atomic_begin(); word@ = 0; __VERIFIER_atomic_end();¦word@ = 0;»
-- join
JOIN(a@);
«JOIN(b@);¦»
-- end
x@ = y@;
"""

WRAPPING_NUMBERS = """
pthread_t t@[6]; int cell@[8]; int sum@; _Atomic(unsigned) next@;
void *f@(void *arg) {
  ‹long i = (long)arg;¦unsigned long i = (unsigned long)arg * ‹1UL¦0x4000000000000000UL¦0x8000000000000000UL›;¦int i = (int)‹1¦atomic_fetch_add_explicit(&next@, ‹1u¦0x40000000u¦0x80000000u›, SEQ)›;›
  if (‹i >= 0 && i < 8¦(unsigned long)i < 8¦(long)(i + 0x7fffffffffffffffUL) < 0 && i < 8 && i >= 0›) cell@[i]++;
  ‹;¦unsigned long a = (unsigned long)‹0x7fffffffffffffffUL¦arg›; if (‹(long)(a + 1) < (long)a¦a + a + 2 == 0¦(long)(a + 1) < 0›) sum@++;›
  return NULL;
}
-- setup
‹unsigned¦int¦unsigned long› c@ = ‹0¦1›; ‹int¦unsigned¦long¦unsigned long› i@; int made@ = 0;
-- create
for (i@ = 0; i@ ‹<¦!=› ‹n:2¦3›; i@++, c@ += ‹1¦2¦0x40000000u¦0x80000000u¦0x8000000000000000UL›)
  SPAWN(&t@[made@++], f@, (void *)(long)‹c@¦(int)c@¦i@¦(signed char)c@¦((unsigned long)i@ << ‹1¦62¦63›)›);
-- middle
«;¦sum@ = 1;¦cell@[1] = 1;»
-- join
for (i@ = 0; i@ < ‹=n›; i@++) JOIN(t@[i@]);
-- end
sum@ += cell@[0];
"""

PARTS_OF_WORDS = """
int w@ ‹¦= 1¦= 256›; int data@; pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;
void *f@(void *arg) {
  int me = (int)(long)arg;
  ‹data@ = 1; __atomic_fetch_sub(&w@, 1, 5);¦data@ = 2; __atomic_store_n(&w@, ‹1¦256›, 5);¦LOCK(&m@); data@++; w@ = 1; UNLOCK(&m@);¦if (__atomic_load_n(&w@, 5) == me) { data@++; __atomic_store_n(&w@, 3, 5); }¦if (__atomic_exchange_n(&w@, ‹1¦256›, 5) == 0) { data@++; __atomic_store_n(&w@, 0, 5); }›
  return NULL;
}
void *g@(void *arg) {
  int me = (int)(long)arg;
  ‹if (__atomic_load_n(‹&w@¦(signed char *)&w@¦(short *)&w@›, 5) ‹==¦!=› ‹me¦0¦1›) data@ = 3;¦if (__atomic_exchange_n(‹&w@¦(char *)&w@›, 1, 5) == 0) { data@++; __atomic_store_n(&w@, 0, 5); }¦LOCK(&m@); int seen = ‹w@¦*(signed char *)&w@›; UNLOCK(&m@); if (seen) data@ = 4;›
  return NULL;
}
void *h@(void *arg) {
  ‹__atomic_store_n((char *)&w@ + ‹0¦1›, ‹0¦1›, 5);¦LOCK(&m@); ((char *)&w@)[1] = 1; UNLOCK(&m@);¦;›
  return NULL;
}
-- setup
pthread_t a@[2], b@, c@;
‹;¦w@ = ‹1¦2¦256›;›
-- create
for (int i = 0; i < ‹1¦2›; i++) SPAWN(&a@[i], f@, (void *)(long)(i * 256));
‹;¦SPAWN(&b@, g@, NULL);›
‹;¦SPAWN(&c@, h@, NULL);›
-- middle
-- join
-- end
‹;¦if (__atomic_load_n(‹&w@¦(signed char *)&w@›, 5) ‹== 0¦<= 0›) data@ = 5;›
"""

IDIOMS: Final[dict[str, str]] = {
    name.lower(): text
    for name, text in list(globals().items())
    if name.isupper() and isinstance(text, str) and "-- setup" in text
}
