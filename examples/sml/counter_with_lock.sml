// Any number of threads count under one lock: Figure 1 of [PN].
// CounterWithLock in Table 1 of [PN]: safe.
shared counter;
lock L;

job Worker {
    acquire L;
    read counter;
    write counter;
    release L;
}

start Worker *;
