/* Loops, switch, short circuits: blocks and the values that meet in them. */
int limit, mode;

static int step(int n)
{
    switch (mode) {
    case 1:
        return n + 1;
    case 2:
    case 3:
        return n * 2;
    default:
        return n > limit && limit > 0 ? limit : n;
    }
}

int main(void)
{
    int n = 1;
    while (n < limit || mode == 0)
        n = step(n);
    return n;
}
