// Drawing a scene with OpenGL.
#ifndef MUJOCO_MJRENDER_H_
#define MUJOCO_MJRENDER_H_

#include <mujoco/mjmodel.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define mjNAUX          10    // auxiliary buffers
#define mjMAXTEXTURE    1000  // textures
#define mjMAXMATERIAL   1000  // materials with textures

typedef enum mjtGridPos_ {  // places for overlays
  mjGRID_TOPLEFT      = 0,  // upper left corner
  mjGRID_TOPRIGHT,          // upper right corner
  mjGRID_BOTTOMLEFT,        // lower left corner
  mjGRID_BOTTOMRIGHT,       // lower right corner
  mjGRID_TOP,               // top
  mjGRID_BOTTOM,            // bottom
  mjGRID_LEFT,              // left
  mjGRID_RIGHT              // right
} mjtGridPos;

typedef enum mjtFramebuffer_ {  // where to draw
  mjFB_WINDOW         = 0,  // window
  mjFB_OFFSCREEN            // the buffer for pictures off the screen
} mjtFramebuffer;

typedef enum mjtDepthMap_ {  // mapping of depth
  mjDEPTH_ZERONEAR    = 0,  // 0 is near
  mjDEPTH_ZEROFAR     = 1   // 0 is far
} mjtDepthMap;

typedef enum mjtFontScale_ {  // size of fonts in percent
  mjFONTSCALE_50      = 50,   // half
  mjFONTSCALE_100     = 100,  // normal
  mjFONTSCALE_150     = 150,  // one and a half
  mjFONTSCALE_200     = 200,  // double
  mjFONTSCALE_250     = 250,  // two and a half
  mjFONTSCALE_300     = 300   // triple
} mjtFontScale;

typedef enum mjtFont_ {  // fonts
  mjFONT_NORMAL       = 0,  // normal
  mjFONT_SHADOW,            // with shadow
  mjFONT_BIG                // big
} mjtFont;

struct mjrRect_ {  // rectangle on the screen
  int left;    // left edge
  int bottom;  // bottom edge
  int width;   // width
  int height;  // height
};
typedef struct mjrRect_ mjrRect;

struct mjrContext_ {  // what drawing keeps on the graphics card
  float lineWidth;    // width of lines
  float shadowClip;   // clipping of directional shadows
  float shadowScale;  // share of a spot light's cone that casts shadow
  float fogStart;     // where fog begins
  float fogEnd;       // where fog is full
  float fogRGBA[4];   // colour of fog
  int shadowSize;     // size of the shadow map
  int offWidth;       // width of pictures off the screen (pixels)
  int offHeight;      // height of pictures off the screen (pixels)
  int offSamples;     // samples of the offscreen buffer

  int fontScale;           // size of fonts
  int auxWidth[mjNAUX];    // widths of auxiliary buffers
  int auxHeight[mjNAUX];   // heights of auxiliary buffers
  int auxSamples[mjNAUX];  // samples of auxiliary buffers

  unsigned int offFBO;             // frame for pictures off the screen
  unsigned int offFBO_r;           // offscreen framebuffer, resolved
  unsigned int offColor;           // colours of pictures off the screen
  unsigned int offColor_r;         // offscreen colour buffer, resolved
  unsigned int offDepthStencil;    // depths and stencil of pictures off the screen
  unsigned int offDepthStencil_r;  // the same with one sample per pixel

  unsigned int shadowFBO;  // framebuffer of the shadow map
  unsigned int shadowTex;  // texture of the shadow map

  unsigned int auxFBO[mjNAUX];      // frames of the auxiliary buffers
  unsigned int auxFBO_r[mjNAUX];    // auxiliary framebuffers, resolved
  unsigned int auxColor[mjNAUX];    // colours of the auxiliary buffers
  unsigned int auxColor_r[mjNAUX];  // the same with one sample per pixel

  int mat_texid[mjMAXMATERIAL*mjNTEXROLE];  // textures of materials by role
  int mat_texuniform[mjMAXMATERIAL];        // texture repeats per unit of space
  float mat_texrepeat[mjMAXMATERIAL*2];     // repetitions of the texture

  int ntexture;                        // textures
  int textureType[mjMAXTEXTURE];       // kinds of texture (mjtTexture)
  unsigned int texture[mjMAXTEXTURE];  // textures

  unsigned int basePlane;       // first list of planes
  unsigned int baseMesh;        // first list of meshes
  unsigned int baseHField;      // first list of height fields
  unsigned int baseBuiltin;     // first list of built-in shapes
  unsigned int baseFontNormal;  // first list of the normal font
  unsigned int baseFontShadow;  // first list of the font with shadow
  unsigned int baseFontBig;     // first list of the big font

  int rangePlane;    // number of lists of planes
  int rangeMesh;     // number of lists of meshes
  int rangeHField;   // number of lists of height fields
  int rangeBuiltin;  // number of lists of built-in shapes
  int rangeFont;     // number of lists of a font

  int nskin;                      // skins
  unsigned int* skinvertVBO;      // vertices of skins
  unsigned int* skinnormalVBO;    // normals of skins
  unsigned int* skintexcoordVBO;  // texture coordinates of skins
  unsigned int* skinfaceVBO;      // faces of skins

  int charWidth[127];     // widths of characters
  int charWidthBig[127];  // widths of characters of the big font
  int charHeight;         // height of characters
  int charHeightBig;      // height of characters of the big font

  int glInitialized;       // OpenGL is there
  int windowAvailable;     // there is a window
  int windowSamples;       // samples of the window
  int windowStereo;        // the window is stereo
  int windowDoublebuffer;  // the window has two buffers

  int currentBuffer;  // buffer in use (mjtFramebuffer)

  int readPixelFormat;  // format for reading pixels

  int readDepthMap;  // mapping of depth (mjtDepthMap)
};
typedef struct mjrContext_ mjrContext;

#if defined(__cplusplus)
}
#endif
#endif
