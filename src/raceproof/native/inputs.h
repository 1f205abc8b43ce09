/* inputs.h: the values of inputs. */
#ifndef INPUTS_H
#define INPUTS_H

#include "rt.h"

bool next_inputs(void); /* the next combination of values; false behind the last one */

#endif
