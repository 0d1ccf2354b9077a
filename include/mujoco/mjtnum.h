// The number type.
#ifndef MUJOCO_INCLUDE_MJTNUM_H_
#define MUJOCO_INCLUDE_MJTNUM_H_

#ifndef mjUSESINGLE
  typedef double mjtNum;
  #define mjMINVAL    1E-15
#else
  typedef float mjtNum;
  #define mjMINVAL    1E-15f
#endif

typedef unsigned char mjtByte;

#endif
