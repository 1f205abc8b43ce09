/* blocks.h: where the blocks of the heap come from that a replay names. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "rt.h"

void blocks_init(void);
void block_is_named(int owner, int number);
void blocks_tell(void);

#endif
