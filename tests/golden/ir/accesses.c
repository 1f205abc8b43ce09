/* Every access of the source stands in the IR once: dead reads, volatile, bit-fields. */
struct flags {
    unsigned ready : 1;
    unsigned level : 3;
    int plain;
};

int counter;
volatile int status;
struct flags flags;

int main(void)
{
    counter;
    (void)status;
    counter++;
    status = counter;
    flags.ready = 1;
    return flags.level + flags.plain;
}
