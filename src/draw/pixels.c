// Pixels between buffers and programs: mjr_readPixels, mjr_drawPixels, mjr_blitBuffer.
//
// Rows go from the bottom up, as documented. Viewports may reach beyond the buffer: pixels there
// are black and at depth 0 when read, and dropped when written.
#include "draw/draw.h"

// Where pixel (x, y) of a viewport lies in the buffer; -1: outside.
static long long pixel_place(const snBuffer* buffer, mjrRect viewport, int x, int y) {
  long long px = (long long)viewport.left + x, py = (long long)viewport.bottom + y;
  if (px < 0 || py < 0 || px >= buffer->width || py >= buffer->height) return -1;
  return py * buffer->width + px;
}

// Outside the buffer pixels are black and depths 0.
void mjr_readPixels(unsigned char* rgb, float* depth, mjrRect viewport, const mjrContext* con) {
  snContext* context = context_of(con, "mjr_readPixels");
  if (!context) return;
  const snBuffer* buffer = context_buffer(context);
  for (int y = 0; y < viewport.height; y++) {
    for (int x = 0; x < viewport.width; x++) {
      long long at = pixel_place(buffer, viewport, x, y);
      size_t to = (size_t)y * (size_t)viewport.width + (size_t)x;
      if (rgb) {
        static const unsigned char black[4] = {0};
        const unsigned char* pixel = at < 0 ? black : buffer->rgba + 4 * at;
        rgb[3 * to] = pixel[0];
        rgb[3 * to + 1] = pixel[1];
        rgb[3 * to + 2] = pixel[2];
      }
      if (depth) {
        float d = at < 0 ? 0 : buffer->depth[at];
        depth[to] = con->readDepthMap == mjDEPTH_ZERONEAR ? 1 - d : d;
      }
    }
  }
}

void mjr_drawPixels(const unsigned char* rgb, const float* depth, mjrRect viewport,
                    const mjrContext* con) {
  snContext* context = context_of(con, "mjr_drawPixels");
  if (!context) return;
  snBuffer* buffer = context_buffer(context);
  for (int y = 0; y < viewport.height; y++) {
    for (int x = 0; x < viewport.width; x++) {
      long long at = pixel_place(buffer, viewport, x, y);
      size_t from = (size_t)y * (size_t)viewport.width + (size_t)x;
      if (at < 0) continue;
      if (rgb) {
        memcpy(buffer->rgba + 4 * at, rgb + 3 * from, 3);
        buffer->rgba[4 * at + 3] = 255;
      }
      if (depth) {
        buffer->depth[at] = con->readDepthMap == mjDEPTH_ZERONEAR ? 1 - depth[from] : depth[from];
      }
    }
  }
}

void mjr_blitBuffer(mjrRect src, mjrRect dst, int flg_color, int flg_depth, const mjrContext* con) {
  if (!context_of(con, "mjr_blitBuffer")) return;
  mju_error(
      "mjr_blitBuffer: there is no window buffer to copy to or from; pictures are read with "
      "mjr_readPixels");
}
