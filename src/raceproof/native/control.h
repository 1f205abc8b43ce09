/* control.h: the control file. */
#ifndef CONTROL_H
#define CONTROL_H

#include "rt.h"

void read_control(const char *path); /* fills `options`; ends the process if it cannot be read */

#endif
