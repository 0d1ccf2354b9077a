// Pictures of scenes, many and fast, without a window, a driver or an mjrContext.
//
// A renderer holds the meshes, textures and height fields of one model as they were when it was
// made, and buffers for one size of picture. sn_drawScene turns an abstract scene (mjv_updateScene)
// into colours, depths and segmentation, top row first, whichever of them are asked for: depth and
// segmentation alone cost no shading. The pixels depend on the scene, the size and the samples
// alone: neither on the CPU nor on the number of threads.
//
// One renderer draws one picture at a time, over as many threads as it was made with. Renderers
// that share assets (sn_shareRenderer) draw at the same time from different threads.
#ifndef SINEW_DRAW_H_
#define SINEW_DRAW_H_

#include <mujoco/mujoco.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct snRenderer_ snRenderer;

// A renderer for pictures of `width` x `height`; `samples` per pixel against jagged edges (0: the
// model's visual/quality/offsamples; 1: none), over `threads` threads (1: the caller's alone).
// NULL after mju_error when a size is not positive, beyond 16384, or memory is short.
MJAPI snRenderer* sn_makeRenderer(const mjModel* m, int width, int height, int samples,
                                  int threads);

// A renderer of the same model and size with buffers of its own; the assets are shared.
MJAPI snRenderer* sn_shareRenderer(const snRenderer* renderer, int threads);

// Free; NULL is nothing. Shared assets go with the last renderer.
MJAPI void sn_freeRenderer(snRenderer* renderer);

// Draw the scene with its flags (mjtRndFlag) and its first camera (the mean of both, as in
// mjr_render without stereo). Each output may be NULL.
//   rgb           height x width x 3
//   depth         height x width, metres along the direction of view
//   segmentation  height x width x 2: id and mjtObj of the object seen, -1 and -1 for background
// Returns 1, or 0 after mju_error.
MJAPI int sn_drawScene(snRenderer* renderer, const mjvScene* scn, unsigned char* rgb, float* depth,
                       int* segmentation);

// The same with an mjrContext, its meshes and textures, drawn in the viewport of its current
// buffer.
MJAPI int sn_drawContext(mjrRect viewport, const mjvScene* scn, const mjrContext* con,
                         unsigned char* rgb, float* depth, int* segmentation);

// Bytes held by a renderer: its buffers, and the assets (whole, also when shared).
MJAPI size_t sn_rendererBytes(const snRenderer* renderer);

#if defined(__cplusplus)
}
#endif
#endif
