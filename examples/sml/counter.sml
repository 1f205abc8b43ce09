// Any number of threads count, and nothing protects the counter.
// Counter in Table 1 of [PN]: unsafe.
shared counter;

job Worker {
    read counter;
    write counter;
}

start Worker *;
