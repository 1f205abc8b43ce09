/* Direct calls, calls through pointers, functions of the library, ranges of bytes. */
#include <stdlib.h>
#include <string.h>

typedef int (*operation)(int);

static int twice(int x) { return 2 * x; }
static int negate(int x) { return -x; }

static operation table[] = {twice, negate};
char buffer[16];

int main(int argc, char **argv)
{
    char *copy = malloc(sizeof buffer);
    if (copy == NULL)
        abort();
    memset(buffer, 0, sizeof buffer);
    memcpy(copy, buffer, sizeof buffer);
    strcpy(buffer, argv[0]);
    int result = table[argc & 1](argc) + twice(copy[0]);
    free(copy);
    return result;
}
