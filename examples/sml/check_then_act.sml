// One kind of thread changes the data under a lock, the other looks without it: Figure 5 of [PN], above.
// CheckThenAct in Table 1 of [PN]: unsafe.
shared data;
lock L;

job Changer {
    acquire L;
    read data;
    write data;
    release L;
}

job Checker {
    read data;
    if (*) {
        // do this
    } else {
        // do that
    }
}

start Changer *;
start Checker *;
