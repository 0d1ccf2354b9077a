// Fonts: their sizes.
#include "draw/draw.h"

bool font_check(int fontscale, const char* caller) {
  if (fontscale >= 50 && fontscale <= 300 && fontscale % 50 == 0) return true;
  mju_error("%s: font scale %d, expected 50, 100, 150, 200, 250 or 300", caller, fontscale);
  return false;
}

void font_describe(int fontscale, mjrContext* con) {
  con->fontScale = fontscale;
  con->charHeight = 18 * fontscale / 100;
  con->charHeightBig = 36 * fontscale / 100;
  for (int c = 32; c < 127; c++) {
    con->charWidth[c] = 9 * fontscale / 100;
    con->charWidthBig[c] = 18 * fontscale / 100;
  }
}
