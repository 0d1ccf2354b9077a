// mjrContext: creation, uploads, buffers, and what a program may query or change.
//
// mjrContext is a public struct whose layout has no room for a pointer. Its field offFBO holds a
// handle, and a table under a lock maps handles to contexts, so that a copied or stale mjrContext
// is found to be one instead of being dereferenced.
#include <pthread.h>

#include "draw/assets.h"
#include "draw/draw.h"
#include "draw/frame.h"
#include "entry/guard.h"

// ---- buffers

bool buffer_make(snBuffer* buffer, int width, int height) {
  size_t pixels = (size_t)width * (size_t)height;
  unsigned char* rgba = memory_alloc_zero(4 * pixels + 4);
  float* depth = memory_alloc_zero((pixels + 1) * sizeof(float));
  if (!rgba || !depth) {
    memory_free(rgba);
    memory_free(depth);
    return false;
  }
  buffer_free(buffer);
  *buffer = (snBuffer){width, height, rgba, depth};
  return true;
}

void buffer_free(snBuffer* buffer) {
  memory_free(buffer->rgba);
  memory_free(buffer->depth);
  memset(buffer, 0, sizeof *buffer);
}

// Refuse a size that no picture has, and say which attribute sets it.
static bool size_check(const char* caller, const char* width_name, const char* height_name,
                       int width, int height) {
  const char* name = width < 0 || width > snPICTURE ? width_name : height_name;
  int size = name == width_name ? width : height;
  if (size >= 0 && size <= snPICTURE) return true;
  mju_error("%s: %s is %d, expected from 0 to %d", caller, name, size, snPICTURE);
  return false;
}

// ---- the table: offFBO - 1 is the place of a context

static struct {
  pthread_mutex_t mutex;
  snContext** slot;
  unsigned count;
} table = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static _Thread_local snContext* current;

static bool table_add(snContext* context) {
  bool ok = true;
  pthread_mutex_lock(&table.mutex);
  unsigned place = 0;
  while (place < table.count && table.slot[place]) place++;
  if (place == table.count) {
    unsigned more = table.count ? 2 * table.count : 8;
    snContext** slot = memory_resize(table.slot, table.count * sizeof *slot, more * sizeof *slot);
    if (slot) {
      memset(slot + table.count, 0, (more - table.count) * sizeof *slot);
      table.slot = slot;
      table.count = more;
    } else {
      ok = false;
    }
  }
  if (ok) {
    table.slot[place] = context;
    context->handle = place + 1;
  }
  pthread_mutex_unlock(&table.mutex);
  return ok;
}

// The context of a handle; with `take` it leaves the table.
static snContext* table_find(unsigned handle, bool take) {
  pthread_mutex_lock(&table.mutex);
  snContext* context = handle && handle <= table.count ? table.slot[handle - 1] : NULL;
  if (context && take) {
    table.slot[handle - 1] = NULL;
    bool empty = true;
    for (unsigned i = 0; i < table.count; i++) empty = empty && !table.slot[i];
    if (empty) {  // nothing stays behind when the last context goes
      memory_free(table.slot);
      table.slot = NULL;
      table.count = 0;
    }
  }
  pthread_mutex_unlock(&table.mutex);
  return context;
}

bool draw_given(const void* p, const char* argument, const char* caller) {
  if (p) return true;
  mju_error("%s: %s is NULL", caller, argument);
  return false;
}

snContext* context_of(const mjrContext* con, const char* caller) {
  if (!draw_given(con, "con", caller)) return NULL;
  snContext* context = con->glInitialized ? table_find(con->offFBO, false) : NULL;
  if (!context) {
    mju_error("%s: the context has not been made, or was freed (mjr_makeContext)", caller);
    return NULL;
  }
  return current = context;
}

snBuffer* context_buffer(snContext* context) {
  return context->current_aux < 0 ? &context->offscreen : &context->aux[context->current_aux];
}

// The current context may have been freed by another thread: it is looked up again.
snContext* context_current(const char* caller) {
  bool found = false;
  pthread_mutex_lock(&table.mutex);
  for (unsigned i = 0; i < table.count && current; i++) found = found || table.slot[i] == current;
  pthread_mutex_unlock(&table.mutex);
  if (found) return current;
  mju_error("%s: this thread has no current context (mjr_makeContext, mjr_setBuffer)", caller);
  return NULL;
}

// ---- the documented functions

void mjr_defaultContext(mjrContext* con) {
  if (!draw_given(con, "con", "mjr_defaultContext")) return;
  memset(con, 0, sizeof *con);
  for (int i = 0; i < mjMAXMATERIAL * mjNTEXROLE; i++) con->mat_texid[i] = -1;
}

// The numbers of the model that a program may look up, or change, in its context.
static void context_describe(const mjModel* m, mjrContext* con) {
  con->lineWidth = m->vis.global.linewidth;
  con->shadowClip = (float)(m->vis.map.shadowclip * m->stat.extent);
  con->shadowScale = m->vis.map.shadowscale;
  con->fogStart = (float)(m->vis.map.fogstart * m->stat.extent);
  con->fogEnd = (float)(m->vis.map.fogend * m->stat.extent);
  memcpy(con->fogRGBA, m->vis.rgba.fog, sizeof con->fogRGBA);
  con->shadowSize = m->vis.quality.shadowsize;
  con->offWidth = m->vis.global.offwidth;
  con->offHeight = m->vis.global.offheight;
  con->offSamples = m->vis.quality.offsamples > 0 ? frame_samples(m->vis.quality.offsamples) : 0;
  int nmat = m->nmat < mjMAXMATERIAL ? m->nmat : mjMAXMATERIAL;
  for (int i = 0; i < nmat; i++) {
    memcpy(con->mat_texid + mjNTEXROLE * i, m->mat_texid + mjNTEXROLE * i,
           mjNTEXROLE * sizeof(int));
    con->mat_texuniform[i] = m->mat_texuniform[i];
    memcpy(con->mat_texrepeat + 2 * i, m->mat_texrepeat + 2 * i, 2 * sizeof(float));
  }
  con->ntexture = m->ntex;
  for (int i = 0; i < m->ntex && i < mjMAXTEXTURE; i++) {
    con->textureType[i] = m->tex_type[i];
    con->texture[i] = (unsigned)i + 1;
  }
  con->rangePlane = 0;
  for (int i = 0; i < m->ngeom; i++) con->rangePlane += m->geom_type[i] == mjGEOM_PLANE;
  con->rangeMesh = 2 * m->nmesh;
  con->rangeHField = m->nhfield;
  con->rangeBuiltin = 8;
  con->nskin = m->nskin;
}

static bool context_counts(const mjModel* m) {
  if (m->nmat > mjMAXMATERIAL) {
    mju_error("mjr_makeContext: the model has %d materials, at most %d can be drawn", m->nmat,
              mjMAXMATERIAL);
    return false;
  }
  if (m->ntex > mjMAXTEXTURE) {
    mju_error("mjr_makeContext: the model has %d textures, at most %d can be drawn", m->ntex,
              mjMAXTEXTURE);
    return false;
  }
  for (int i = 0; i < m->ntex; i++) {
    if (!texture_check(m, i, "mjr_makeContext")) return false;
  }
  return size_check("mjr_makeContext", "visual/global/offwidth", "visual/global/offheight",
                    m->vis.global.offwidth, m->vis.global.offheight);
}

static void context_free(snContext* context) {
  if (!context) return;
  frame_free(context->frame);
  assets_release(context->assets);
  buffer_free(&context->offscreen);
  for (int i = 0; i < mjNAUX; i++) buffer_free(&context->aux[i]);
  memory_free(context);
}

void mjr_makeContext(const mjModel* m, mjrContext* con, int fontscale) {
  if (!draw_given(con, "con", "mjr_makeContext")) return;
  mjr_freeContext(con);
  if (!font_check(fontscale, "mjr_makeContext") ||
      (m && (!guard_assets("mjr_makeContext", m) || !context_counts(m))))
    return;
  if (m) context_describe(m, con);
  snContext* context = memory_alloc_zero(sizeof(snContext));
  if (context) {
    context->current_aux = -1;
    context->assets = assets_make(m);
    context->frame = frame_make(1);
  }
  if (!context || !context->assets || !context->frame ||
      !buffer_make(&context->offscreen, con->offWidth, con->offHeight) || !table_add(context)) {
    context_free(context);
    mjr_defaultContext(con);
    mju_error("mjr_makeContext: no memory for meshes, textures and a buffer of %d x %d pixels",
              m ? m->vis.global.offwidth : 0, m ? m->vis.global.offheight : 0);
    return;
  }
  con->offFBO = con->offFBO_r = con->offColor = con->offColor_r = context->handle;
  con->offDepthStencil = con->offDepthStencil_r = context->handle;
  con->glInitialized = 1;
  con->windowAvailable = 0;  // there is no window, here or anywhere
  con->currentBuffer = mjFB_OFFSCREEN;
  con->readPixelFormat = 0x1907;  // GL_RGB
  con->readDepthMap = mjDEPTH_ZERONEAR;
  mjr_changeFont(fontscale, con);
  current = context;
}

void mjr_changeFont(int fontscale, mjrContext* con) {
  if (!draw_given(con, "con", "mjr_changeFont") || !font_check(fontscale, "mjr_changeFont")) return;
  font_describe(fontscale, con);
}

void mjr_freeContext(mjrContext* con) {
  if (!con) return;
  snContext* context = con->glInitialized ? table_find(con->offFBO, true) : NULL;
  if (context && current == context) current = NULL;
  context_free(context);
  mjr_defaultContext(con);
}

void mjr_resizeOffscreen(int width, int height, mjrContext* con) {
  snContext* context = context_of(con, "mjr_resizeOffscreen");
  if (!context || !size_check("mjr_resizeOffscreen", "width", "height", width, height)) return;
  if (width == con->offWidth && height == con->offHeight) return;
  if (!buffer_make(&context->offscreen, width, height)) {
    mju_error("mjr_resizeOffscreen: no memory for a buffer of %d x %d pixels", width, height);
    return;
  }
  con->offWidth = width;
  con->offHeight = height;
}

// ---- uploads: assets are taken from the model again

void mjr_uploadTexture(const mjModel* m, const mjrContext* con, int texid) {
  snContext* context = context_of(con, "mjr_uploadTexture");
  if (context && guard_drawn("mjr_uploadTexture", m))
    assets_upload(context->assets, m, mjOBJ_TEXTURE, texid, "mjr_uploadTexture");
}

void mjr_uploadMesh(const mjModel* m, const mjrContext* con, int meshid) {
  snContext* context = context_of(con, "mjr_uploadMesh");
  if (context && guard_assets("mjr_uploadMesh", m))
    assets_upload(context->assets, m, mjOBJ_MESH, meshid, "mjr_uploadMesh");
}

void mjr_uploadHField(const mjModel* m, const mjrContext* con, int hfieldid) {
  snContext* context = context_of(con, "mjr_uploadHField");
  if (context && guard_drawn("mjr_uploadHField", m))
    assets_upload(context->assets, m, mjOBJ_HFIELD, hfieldid, "mjr_uploadHField");
}

// ---- which buffer

void mjr_restoreBuffer(const mjrContext* con) {
  snContext* context = context_of(con, "mjr_restoreBuffer");
  if (context) context->current_aux = -1;
}

// As documented: where one buffer exists only, the argument is ignored and that one is set.
void mjr_setBuffer(int framebuffer, mjrContext* con) {
  if (framebuffer != mjFB_WINDOW && framebuffer != mjFB_OFFSCREEN) {
    mju_error("mjr_setBuffer: unknown buffer %d, expected mjFB_WINDOW or mjFB_OFFSCREEN",
              framebuffer);
    return;
  }
  snContext* context = context_of(con, "mjr_setBuffer");
  if (!context) return;
  con->currentBuffer = mjFB_OFFSCREEN;
  context->current_aux = -1;
}

static bool aux_check(const char* caller, int index) {
  if (index >= 0 && index < mjNAUX) return true;
  mju_error("%s: auxiliary buffer %d, expected from 0 to %d", caller, index, mjNAUX - 1);
  return false;
}

void mjr_addAux(int index, int width, int height, int samples, mjrContext* con) {
  snContext* context = context_of(con, "mjr_addAux");
  if (!context || !aux_check("mjr_addAux", index) ||
      !size_check("mjr_addAux", "width", "height", width, height)) {
    return;
  }
  if (!buffer_make(&context->aux[index], width, height)) {
    mju_error("mjr_addAux: no memory for a buffer of %d x %d pixels", width, height);
    return;
  }
  con->auxWidth[index] = width;
  con->auxHeight[index] = height;
  con->auxSamples[index] = samples > 0 ? frame_samples(samples) : 0;
  con->auxFBO[index] = con->auxFBO_r[index] = (unsigned)index + 1;
  con->auxColor[index] = con->auxColor_r[index] = (unsigned)index + 1;
}

static bool aux_exists(const char* caller, int index, const snContext* context) {
  if (!aux_check(caller, index)) return false;
  if (context->aux[index].rgba) return true;
  mju_error("%s: auxiliary buffer %d has not been made (mjr_addAux)", caller, index);
  return false;
}

void mjr_setAux(int index, const mjrContext* con) {
  snContext* context = context_of(con, "mjr_setAux");
  if (context && aux_exists("mjr_setAux", index, context)) context->current_aux = index;
}

void mjr_blitAux(int index, mjrRect src, int left, int bottom, const mjrContext* con) {
  snContext* context = context_of(con, "mjr_blitAux");
  if (!context || !aux_exists("mjr_blitAux", index, context)) return;
  const snBuffer* from = &context->aux[index];
  snBuffer* to = &context->offscreen;
  for (int y = 0; y < src.height; y++) {
    long long sy = (long long)src.bottom + y, ty = (long long)bottom + y;
    if (sy < 0 || sy >= from->height || ty < 0 || ty >= to->height) continue;
    for (int x = 0; x < src.width; x++) {
      long long sx = (long long)src.left + x, tx = (long long)left + x;
      if (sx < 0 || sx >= from->width || tx < 0 || tx >= to->width) continue;
      memcpy(to->rgba + 4 * (ty * to->width + tx), from->rgba + 4 * (sy * from->width + sx), 4);
    }
  }
}

mjrRect mjr_maxViewport(const mjrContext* con) {
  if (!draw_given(con, "con", "mjr_maxViewport")) return (mjrRect){0, 0, 0, 0};
  return (mjrRect){0, 0, con->offWidth, con->offHeight};
}

int mjr_findRect(int x, int y, int nrect, const mjrRect* rect) {
  if (nrect > 0 && !draw_given(rect, "rect", "mjr_findRect")) return -1;
  for (int i = 0; i < nrect; i++) {
    if (x >= rect[i].left && x < (long long)rect[i].left + rect[i].width && y >= rect[i].bottom &&
        y < (long long)rect[i].bottom + rect[i].height) {
      return i;
    }
  }
  return -1;
}

// Drawing is done when its function returns.
void mjr_finish(void) {}

// Errors are reported by mju_error with the name of the function.
int mjr_getError(void) { return 0; }
