// As check_then_act.sml, but looks under the lock too: Figure 5 of [PN], below.
// CheckThenAct-Lock in Table 1 of [PN]: safe.
shared data;
lock L;

job Changer {
    acquire L;
    read data;
    write data;
    release L;
}

job Checker {
    acquire L;
    read data;
    if (*) {
        // do this
    } else {
        // do that
    }
    release L;
}

start Changer *;
start Checker *;
