/* Names of fields, offsets, arrays of structures, copies as ranges. */
struct point {
    int x, y;
};
struct shape {
    char name[8];
    struct point corners[4];
    struct shape *next;
};

struct shape shapes[2], *first = &shapes[1];

int main(void)
{
    struct shape copy = *first;
    for (int i = 0; i < 4; i++)
        shapes[0].corners[i].y = copy.corners[i].x;
    first->next = &shapes[0];
    return 0;
}
