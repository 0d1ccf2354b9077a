// Errors and warnings: what a program hears when it misuses the library.
#include <stdio.h>

#include "base/base.h"

void (*mju_user_error)(const char*);
void (*mju_user_warning)(const char*);
void* (*mju_user_malloc)(size_t);
void (*mju_user_free)(void*);

void mju_error(const char* format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (mju_user_error) mju_user_error(text);
}
