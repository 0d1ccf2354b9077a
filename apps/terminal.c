// Pictures in a terminal: half blocks in 24-bit color, sixel, the kitty graphics protocol, or plain
// characters.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "picture.h"
#include "sinew.h"

int terminal_columns(void) {
  int wide = system_columns();
  if (wide > 0) return wide;
  const char* columns = getenv("COLUMNS");
  int n = columns ? atoi(columns) : 0;
  return n > 0 ? n : 80;
}

// Box filter: each pixel of the smaller picture is the mean of those that it covers.
static bool shrink(const Picture* p, int width, int height, Picture* to) {
  if (!picture_make(to, width, height)) return false;
  for (int y = 0; y < height; y++) {
    int y0 = (int)((long)y * p->height / height), y1 = (int)((long)(y + 1) * p->height / height);
    if (y1 == y0) y1++;
    for (int x = 0; x < width; x++) {
      int x0 = (int)((long)x * p->width / width), x1 = (int)((long)(x + 1) * p->width / width);
      if (x1 == x0) x1++;
      long sum[3] = {0}, n = (long)(y1 - y0) * (x1 - x0);
      for (int j = y0; j < y1; j++) {
        for (int i = x0; i < x1; i++) {
          for (int c = 0; c < 3; c++)
            sum[c] += p->rgb[3 * ((size_t)j * (size_t)p->width + (size_t)i) + (size_t)c];
        }
      }
      for (int c = 0; c < 3; c++) {
        to->rgb[3 * ((size_t)y * (size_t)width + (size_t)x) + (size_t)c] =
            (unsigned char)((sum[c] + n / 2) / n);
      }
    }
  }
  return true;
}

// As wide as the terminal, rows in pairs: a cell is twice as high as wide.
static bool shrink_to_cells(const Picture* p, Picture* to) {
  int columns = terminal_columns();
  int width = p->width < columns ? p->width : columns;
  int height = (int)((long)width * p->height / p->width + 1) / 2 * 2;
  return shrink(p, width, height < 2 ? 2 : height, to);
}

// A character per cell, denser where it is lighter: for files and pipes.
static bool show_text(const Picture* p) {
  static const char density[] = " .:-=+*#%@";
  Picture small;
  if (!shrink_to_cells(p, &small)) return false;
  for (int y = 0; y + 1 < small.height; y += 2) {
    const unsigned char* up = small.rgb + 3 * (size_t)y * (size_t)small.width;
    const unsigned char* low = up + 3 * (size_t)small.width;
    for (int x = 0; x < small.width; x++, up += 3, low += 3) {
      // luminance of sRGB colors, of 256, times 512
      int light = 54 * (up[0] + low[0]) + 183 * (up[1] + low[1]) + 19 * (up[2] + low[2]);
      putchar(density[(size_t)light * (sizeof(density) - 1) / (512 * 256)]);
    }
    putchar('\n');
  }
  picture_free(&small);
  return true;
}

// Two pixels per cell: the upper one as foreground, the lower one as background color.
static bool show_blocks(const Picture* p) {
  Picture small;
  if (!shrink_to_cells(p, &small)) return false;
  int width = small.width;
  for (int y = 0; y < small.height; y += 2) {
    const unsigned char *up = small.rgb + 3 * (size_t)y * (size_t)width, *low = up + 3 * width;
    for (int x = 0; x < width; x++, up += 3, low += 3) {
      printf("\033[38;2;%d;%d;%dm\033[48;2;%d;%d;%dm\u2580", up[0], up[1], up[2], low[0], low[1],
             low[2]);
    }
    printf("\033[0m\n");
  }
  picture_free(&small);
  return true;
}

// ---- kitty: the PNG itself, in base64, in pieces of at most 4096 characters

static bool show_kitty(const Picture* p) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  enum { PIECE = 3072 };
  snFilm* film = sn_makeFilm(p->width, p->height, 1);
  if (!film || !sn_addPicture(film, p->rgb)) return sn_freeFilm(film), false;
  size_t size = sn_filmBytes(film, NULL, 0);
  unsigned char* bytes = calloc(size + 3, 1);
  if (bytes) sn_filmBytes(film, bytes, size);
  for (size_t at = 0; bytes && at < size; at += PIECE) {
    size_t end = at + PIECE < size ? at + PIECE : size;
    printf("\033_G%sm=%d;", at ? "" : "a=T,f=100,", end < size);
    for (size_t i = at; i < end; i += 3) {
      unsigned v = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
      putchar(digits[v >> 18]);
      putchar(digits[v >> 12 & 63]);
      putchar(i + 1 < end ? digits[v >> 6 & 63] : '=');
      putchar(i + 2 < end ? digits[v & 63] : '=');
    }
    printf("\033\\");
  }
  printf("\n");
  free(bytes);
  sn_freeFilm(film);
  return bytes != NULL;
}

// ---- sixel: 216 colors, six rows at a time, one color after the other

// A level from 0 to 5 with ordered dithering, so that smooth shades do not show bands.
static int sixel_level(int value, int x, int y) {
  static const int pattern[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  return (value * 5 * 16 + pattern[y & 3][x & 3] * 255) / (255 * 16);
}

static void sixel_run(int count, int bits) {
  if (count > 3) {
    printf("!%d%c", count, 63 + bits);
  } else {
    for (int i = 0; i < count; i++) putchar(63 + bits);
  }
}

static bool show_sixel(const Picture* p) {
  enum { COLOURS = 216 };
  unsigned char* index = malloc((size_t)p->width * (size_t)p->height);
  if (!index) return false;
  printf("\033Pq\"1;1;%d;%d", p->width, p->height);
  for (int i = 0; i < COLOURS; i++) {
    printf("#%d;2;%d;%d;%d", i, i / 36 * 20, i / 6 % 6 * 20, i % 6 * 20);
  }
  for (int y = 0; y < p->height; y++) {
    for (int x = 0; x < p->width; x++) {
      size_t at = (size_t)y * (size_t)p->width + (size_t)x;
      const unsigned char* c = p->rgb + 3 * at;
      index[at] = (unsigned char)(36 * sixel_level(c[0], x, y) + 6 * sixel_level(c[1], x, y) +
                                  sixel_level(c[2], x, y));
    }
  }
  for (int y = 0; y < p->height; y += 6) {
    for (int colour = 0, first = 1; colour < COLOURS; colour++) {
      int run = 0, bits = 0, any = 0;
      for (int x = 0; x <= p->width; x++) {
        int now = 0;
        for (int k = 0; x < p->width && k < 6 && y + k < p->height; k++) {
          now |= (index[(size_t)(y + k) * (size_t)p->width + (size_t)x] == colour) << k;
        }
        if (now && !any) {
          printf(first ? "#%d" : "$#%d", colour);
          any = 1, first = 0;
          sixel_run(x, 0);
          run = 0;
        }
        if (any && run && (now != bits || x == p->width)) {
          if (bits || x < p->width) sixel_run(run, bits);
          run = 0;
        }
        bits = now;
        run++;
      }
    }
    printf("-");
  }
  printf("\033\\\n");
  free(index);
  return true;
}

// ---- choice of the protocol

static const char* terminal_way(void) {
  const char *term = getenv("TERM"), *program = getenv("TERM_PROGRAM");
  if (getenv("KITTY_WINDOW_ID") || (term && strstr(term, "kitty")) ||
      (program && !strcmp(program, "ghostty"))) {
    return "kitty";
  }
  return "blocks";
}

bool terminal_show(const Picture* p, const char* way) {
  if (!way) way = terminal_way();
  if (!strcmp(way, "blocks")) return show_blocks(p);
  if (!strcmp(way, "kitty")) return show_kitty(p);
  if (!strcmp(way, "sixel")) return show_sixel(p);
  if (!strcmp(way, "text")) return show_text(p);
  fprintf(stderr, "sinew: terminal '%s', expected blocks, kitty, sixel or text\n", way);
  return false;
}
