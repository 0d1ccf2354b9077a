// Fast decoder of plain PNG images, without libpng.
#ifndef SINEW_READ_PNG_PLAIN_H_
#define SINEW_READ_PNG_PLAIN_H_

#include "model/formats.h"

// False: not plain, or malformed; nothing is allocated then.
bool png_read_plain(snImage* image, const snFile* file, int nchannel);

#endif
