// Any number of producers and consumers with one buffer: Figure 2 of [PN].
// Prods/Cons in Table 1 of [PN]: safe.
shared buffer;
lock L;
cond cvEmpty, cvFull;

job Producer {
    acquire L;
    while (*) {
        wait cvEmpty, L;
        write buffer;
        signal cvFull;
    }
    release L;
}

job Consumer {
    acquire L;
    while (*) {
        wait cvFull, L;
        read buffer;
        signal cvEmpty;
    }
    release L;
}

start Producer *;
start Consumer *;
