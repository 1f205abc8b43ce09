/* control.h: the control file. */
#ifndef CONTROL_H
#define CONTROL_H

#include "rt.h"

void read_control(char *text); /* fills `options` and changes the text; ends the process if it makes no sense */

#endif
