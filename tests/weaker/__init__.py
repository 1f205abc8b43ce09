"""weaker: what engines say of programs with atomics of all memory orders, against every execution that C11 allows."""
