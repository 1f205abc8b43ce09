// Producers and consumers who wait only as long as they must. [PN] does not print its variant: this is the usual one.
// Prods/Cons 2 in Table 1 of [PN]: safe.
shared buffer;
lock L;
cond cvEmpty, cvFull;

job Producer {
    acquire L;
    while (*) {
        wait cvEmpty, L;
    }
    write buffer;
    signal cvFull;
    release L;
}

job Consumer {
    acquire L;
    while (*) {
        wait cvFull, L;
    }
    read buffer;
    signal cvEmpty;
    release L;
}

start Producer *;
start Consumer *;
