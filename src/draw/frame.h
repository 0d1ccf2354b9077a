// How a picture is made.
//
// A pass draws parts (a surface with a pose and a look) as one camera sees them; shadow maps,
// mirror images and the picture itself are passes. Each has two stages, both over threads:
//
//   geometry  vertices of a part are transformed once, eight at a time; its faces are culled,
//             clipped where they cross the near plane or the guard band, snapped to 1/256 pixel and
//             put on the lists of the tiles that they touch (geometry.c);
//   tiles     for each tile the triangles of its list, in the order of the parts, are tested with
//             exact integer edge functions (top-left rule) against the depth of every sample. What
//             stays is a visibility buffer: depth and triangle per sample (raster.c). Only then are
//             pixels shaded, once for each triangle seen in a pixel, and samples resolved
//             (shade.c).
//
// Colours are computed at vertices and interpolated, as the fixed functions of OpenGL do and as the
// released pictures show; vertices are lit when a pixel first needs them, so hidden ones cost
// nothing.
//
// Order: threads take jobs (a range of faces of one part) in increasing order and keep lists of
// their own; a tile merges them by job. So the order in a tile is that of the parts, whatever the
// threads did.
#ifndef SINEW_DRAW_FRAME_H_
#define SINEW_DRAW_FRAME_H_

#include "draw/assets.h"
#include "draw/draw.h"
#include "draw/lanes8.h"

enum {
  snTILE_W = 64,    // pixels
  snTILE_H = 32,    // pixels
  snSUB = 256,      // steps of a pixel's side to which vertices are snapped
  snTHREADS = 16,   // most threads of one renderer
  snGUARD = 32768,  // pixels: vertices beyond are clipped, so that edge functions stay exact
  snJOB = 1024,     // faces of one job
  snPASSLIGHTS = mjMAXLIGHT,  // lights with shadow maps
  snMIRRORS = 100             // mirrors in a picture
};

// What the picture's model and context say about drawing.
typedef struct snStyle_ {
  float line_width, shadow_clip, shadow_scale, fog_start, fog_end, fog[4];
  int shadow_size, samples;
} snStyle;

// ---- the scene, ready to draw

typedef enum snMapping_ {  // where texture coordinates come from
  snMAP_NONE = 0,
  snMAP_COORDINATES,  // of the surface
  snMAP_PLANE,        // x and y of the surface, scaled
  snMAP_CUBE          // direction from the centre
} snMapping;

typedef struct snDrawPart_ {
  const snSurface* surface;
  int geom;              // in the scene
  float pos[3], mat[9];  // vertex to world: pos + mat v (mat holds the scale)
  float normal[9];       // normals to world, up to their length
  float rgba[4], specular, shininess, emission, reflectance;
  float gloss;  // cosine from which on the specular term is seen: its power is above 2^-24
  snTexture* texture;
  int mapping;
  // plane: u = map[0] x + map[1], v = map[2] y + map[3]; cube: direction (map[0] x + map[4],
  // map[1] y + map[5], map[2] z + map[3])
  float map[6];
  bool transparent, two_sided, unlit;
  bool veil;      // opaque, but its texture is not
  bool smooth;    // neither texture, mirror nor cells: a small triangle has one colour
  bool infinite;  // plane without an end on any side: the haze lies on it
  float cell[2];  // plane: size of the cells whose corners are lit; 0: not a plane
  float half[2];  // plane: half sizes
  float rim[2];   // plane: the same in cells
  bool idle;      // casts no shadow that is seen
  int segment;    // id for segmentation; -1: none
  int vertex0;    // its first transformed vertex
  int mirror;     // mirror image that it shows; -1: none
} snDrawPart;

typedef struct snLamp_ {  // a light
  float pos[3], dir[3];
  float ambient[4], diffuse[4], specular[4], attenuation[3];
  float cutoff, exponent;            // cosine of the cone's half angle, -1: no cone
  float degrees;                     // the half angle itself
  bool directional, shadow, shines;  // shines: has a specular colour
} snLamp;

typedef struct snShadow_ {  // depth as a light sees it
  float matrix[16];         // world to (X, Y, Z, W): texel X/W, Y/W; depth Z/W
  int width, height, stride;
  float* depth;  // reversed: larger is nearer to the light; texels around it are 0
  float* block;  // memory of it
  size_t room;
  float grow, lift;  // a point counts as nearer to the light: depth * grow + lift
  bool empty;        // nothing casts a shadow
  void* key;         // what the map was drawn from; it is kept as long as that stays the same
  size_t key_size, key_room;
} snShadow;

typedef struct snMirror_ {  // a plane, or the upper face of a box, that reflects
  int geom;                 // in the scene
  float normal[3], at;      // points with normal . x > at are in front
  snBuffer image;           // what it shows, pixel by pixel of the viewport
} snMirror;

// ---- a pass

typedef struct snTriangle_ {
  int x[3], y[3];  // 1/256 pixel
  float depth[3];
  short low[2], high[2];  // pixels of which a sample lies in its box, inclusive
  uint32_t part, face;
} snTriangle;

typedef struct snVertex_ {  // transformed: 1/256 pixel, where it lies (geometry.c), depth
  int x, y, flag;
  float depth;
} snVertex;

typedef struct snChunk_ {  // part of a tile's list
  uint32_t next, count;
  uint32_t triangle[62];
} snChunk;

typedef struct snWorker_ {
  snTriangle* triangle;
  size_t ntriangle, triangle_room;
  uint32_t* job;  // the job of each triangle's range is kept per triangle's part and order
  snChunk* chunk;
  size_t nchunk, chunk_room;
  uint32_t *head, *tail;  // per tile; 0: none, else chunk + 1
  size_t tile_room;
  bool failed;
  void* scratch;  // of one tile: depths, ids, colours
  size_t scratch_bytes;
} snWorker;

typedef struct snPass_ {
  float matrix[16];   // world to (X, Y, Z, W): pixel X/W, Y/W from the viewport's corner; depth Z/W
  float inverse[12];  // ray through a pixel: origin + (x, y, 1) times rows; see ray_through
  float eye[3], forward[3];
  bool orthographic;
  int width, height, samples;
  int tiles_x, tiles_y;
  int cull;          // 1: back faces are left out; -1: front faces; 0: none
  int first, count;  // parts
  float near, far;
  bool cut;  // what lies behind a plane is left out: cut_plane . (x, y, z, 1) < 0
  float cut_plane[4];
  int without;  // geom that is not drawn; -1: none
  bool image;   // of a mirror: nothing behind the parts
  float wire;   // width of lines when edges are drawn in place of faces; 0: faces
} snPass;

struct snFrame_ {
  int threads;
  mjThreadPool* pool;
  snWorker worker[snTHREADS];
  snDrawPart* part;
  size_t npart, part_room;
  // transformed vertices of all parts of a pass
  snVertex* vertex;
  size_t vertex_room;
  snLamp lamp[mjMAXLIGHT];
  int nlamp;
  snShadow shadow[snPASSLIGHTS];
  snMirror mirror[snMIRRORS];
  int nmirror;
  // surfaces of deformables, made for each picture
  snSurface** loose;
  size_t nloose, loose_room;
};

snFrame* frame_make(int threads);  // NULL when memory is short
void frame_free(snFrame* frame);
int frame_samples(int samples);  // samples that are used when so many are asked for: 1 or 4
size_t frame_bytes(const snFrame* frame);

// What a picture is asked for.
typedef struct snOrder_ {
  const snAssets* assets;
  const mjvScene* scene;
  snStyle style;
  snBuffer* buffer;
  mjrRect viewport;
  bool colour, depth;
  bool exact;   // depth at the centres of pixels, in a pass of its own
  int eye;      // of the scene's cameras; -1: the mean of both
  int* object;  // geom of the scene per pixel of the buffer, -1: none; NULL: not asked for
} snOrder;

// False when memory is short.
bool frame_draw(snFrame* frame, const snOrder* order);

// ---- steps

// Call a function for every index below `count` over the threads of the frame, in increasing order
// of index on each; `worker` is the thread's number.
typedef void (*snJobFunction)(void* context, int index, int worker);
void frame_parallel(snFrame* frame, int count, snJobFunction function, void* context);

// Solid: every part opaque, as depth and segmentation see it.
bool collect_parts(snFrame* frame, const snOrder* order, const float eye[3], bool solid);
void collect_lamps(snFrame* frame, const snOrder* order);
// Parts, geometry and tiles of one pass.
bool frame_pass(snFrame* frame, snPass* pass, const snOrder* order, bool solid);
void loose_free(snFrame* frame);
bool geometry_run(snFrame* frame, snPass* pass);

// The triangles of a tile in order.
typedef struct snCursor_ {
  const snFrame* frame;
  uint32_t chunk[snTHREADS], at[snTHREADS];
} snCursor;
void cursor_start(snCursor* cursor, const snFrame* frame, int tile);
// Thread in the upper four bits, triangle in the others; false at the end.
static inline bool cursor_next(snCursor* cursor, uint32_t* id) {
  int best = -1;
  uint32_t best_order = 0, best_triangle = 0;
  for (int i = 0; i < cursor->frame->threads; i++) {
    if (!cursor->chunk[i]) continue;
    const snWorker* w = &cursor->frame->worker[i];
    uint32_t triangle = w->chunk[cursor->chunk[i] - 1].triangle[cursor->at[i]];
    uint32_t order = cursor->frame->threads > 1 ? w->job[triangle] : 0;
    if (best < 0 || order < best_order) best = i, best_order = order, best_triangle = triangle;
  }
  if (best < 0) return false;
  const snChunk* chunk = &cursor->frame->worker[best].chunk[cursor->chunk[best] - 1];
  uint32_t at = ++cursor->at[best], ahead = at + 3;
  if (ahead < chunk->count) {  // records of a tile lie far from each other
    __builtin_prefetch(&cursor->frame->worker[best].triangle[chunk->triangle[ahead]]);
  }
  if (at == chunk->count) {
    cursor->chunk[best] = chunk->next;
    cursor->at[best] = 0;
  }
  *id = (uint32_t)best << 28 | best_triangle;
  return true;
}

static inline const snTriangle* frame_triangle(const snFrame* frame, uint32_t id) {
  return &frame->worker[id >> 28].triangle[id & 0xFFFFFFF];
}

#endif
