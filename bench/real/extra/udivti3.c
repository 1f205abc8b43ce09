/* Division of 128-bit numbers, which compilers take from a library of their own: bit by bit, as at school. */

typedef unsigned __int128 number;

number __udivti3(number dividend, number divisor);

number __udivti3(number dividend, number divisor)
{
    number quotient = 0;
    number rest = 0;
    for (int bit = 127; bit >= 0; bit--) {
        rest = (rest << 1) | ((dividend >> bit) & 1);
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= (number)1 << bit;
        }
    }
    return quotient;
}
