// Each access is under the lock, but the update as a whole is not: no data race, though updates get lost.
// Lock-ReadWriteOnly in Table 1 of [PN]: safe.
shared counter;
lock L;

job Worker {
    acquire L;
    read counter;
    release L;
    // change the copy
    acquire L;
    write counter;
    release L;
}

start Worker *;
