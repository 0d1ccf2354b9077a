#ifndef MUJOCO_MJRENDER_H_
#define MUJOCO_MJRENDER_H_

#include <mujoco/mjmodel.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define mjNAUX          10
#define mjMAXTEXTURE    1000
#define mjMAXMATERIAL   1000

typedef enum mjtGridPos_ {
  mjGRID_TOPLEFT      = 0,
  mjGRID_TOPRIGHT,
  mjGRID_BOTTOMLEFT,
  mjGRID_BOTTOMRIGHT,
  mjGRID_TOP,
  mjGRID_BOTTOM,
  mjGRID_LEFT,
  mjGRID_RIGHT
} mjtGridPos;

typedef enum mjtFramebuffer_ {
  mjFB_WINDOW         = 0,
  mjFB_OFFSCREEN
} mjtFramebuffer;

typedef enum mjtDepthMap_ {
  mjDEPTH_ZERONEAR    = 0,
  mjDEPTH_ZEROFAR     = 1
} mjtDepthMap;

typedef enum mjtFontScale_ {
  mjFONTSCALE_50      = 50,
  mjFONTSCALE_100     = 100,
  mjFONTSCALE_150     = 150,
  mjFONTSCALE_200     = 200,
  mjFONTSCALE_250     = 250,
  mjFONTSCALE_300     = 300
} mjtFontScale;

typedef enum mjtFont_ {
  mjFONT_NORMAL       = 0,
  mjFONT_SHADOW,
  mjFONT_BIG
} mjtFont;

struct mjrRect_ {
  int left;
  int bottom;
  int width;
  int height;
};
typedef struct mjrRect_ mjrRect;

struct mjrContext_ {
  float lineWidth;
  float shadowClip;
  float shadowScale;
  float fogStart;
  float fogEnd;
  float fogRGBA[4];
  int shadowSize;
  int offWidth;
  int offHeight;
  int offSamples;

  int fontScale;
  int auxWidth[mjNAUX];
  int auxHeight[mjNAUX];
  int auxSamples[mjNAUX];

  unsigned int offFBO;
  unsigned int offFBO_r;
  unsigned int offColor;
  unsigned int offColor_r;
  unsigned int offDepthStencil;
  unsigned int offDepthStencil_r;

  unsigned int shadowFBO;
  unsigned int shadowTex;

  unsigned int auxFBO[mjNAUX];
  unsigned int auxFBO_r[mjNAUX];
  unsigned int auxColor[mjNAUX];
  unsigned int auxColor_r[mjNAUX];

  int mat_texid[mjMAXMATERIAL*mjNTEXROLE];
  int mat_texuniform[mjMAXMATERIAL];
  float mat_texrepeat[mjMAXMATERIAL*2];

  int ntexture;
  int textureType[mjMAXTEXTURE];
  unsigned int texture[mjMAXTEXTURE];

  unsigned int basePlane;
  unsigned int baseMesh;
  unsigned int baseHField;
  unsigned int baseBuiltin;
  unsigned int baseFontNormal;
  unsigned int baseFontShadow;
  unsigned int baseFontBig;

  int rangePlane;
  int rangeMesh;
  int rangeHField;
  int rangeBuiltin;
  int rangeFont;

  int nskin;
  unsigned int* skinvertVBO;
  unsigned int* skinnormalVBO;
  unsigned int* skintexcoordVBO;
  unsigned int* skinfaceVBO;

  int charWidth[127];
  int charWidthBig[127];
  int charHeight;
  int charHeightBig;

  int glInitialized;
  int windowAvailable;
  int windowSamples;
  int windowStereo;
  int windowDoublebuffer;

  int currentBuffer;

  int readPixelFormat;

  int readDepthMap;
};
typedef struct mjrContext_ mjrContext;

#if defined(__cplusplus)
}
#endif
#endif
