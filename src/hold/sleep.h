// Sleep: what its two files share. Private to the room.
#ifndef SINEW_HOLD_SLEEP_H_
#define SINEW_HOLD_SLEEP_H_

#include "hold/hold.h"

// A piece of the model whose change wakes everyone: bytes of one array.
typedef struct snWatchedArray_ {
  int field;  // of schema_model
  size_t bytes;
} snWatchedArray;

// What follows from the model alone, the evaluation's choice, and scratch. In mjData's tail.
typedef struct snSleepers_ {
  uint64_t serial;  // of the plan that the tables were made from
  int instance;     // of the plugin that keeps the state
  mjtNum speed;     // m/s: below it a tree is quiet
  snAwake awake;

  // structure
  int* couple;                  // (ntree) trees that tendons and transmissions join: union-find
  snBodyRun* tree;              // (ntree) all that belongs to a tree
  int *qpos, *qpos_end;         // (ntree)
  snBodyRun* begin;             // (nbody + 1) where the things of a body begin
  mjtByte* restless;            // (ntree) never sleeps
  mjtByte* moored;              // (ntree) tied to a mocap body by more than contact
  mjtByte* sensed;              // (nbody) a sensor reads forces there: what touches it stays awake
  int *tendon, *actuator, *eq;  // a tree of each (eq: two), -1: none
  mjtNum* length;               // (ntree) m per rad
  int nwatched;
  snWatchedArray* watched;
  size_t bytes;  // of the watched arrays
  int nslice;
  // options and watched arrays as they were when a slice was hashed last: comparing is sooner done
  mjOption* option;
  char* image;     // (bytes)
  mjtNum* hash;    // (nslice)
  mjtByte* known;  // (nslice) is there a hash?

  // the evaluation
  bool open;             // an evaluation is under way
  bool slept;            // somebody slept when positions were evaluated last
  mjtByte* evaluated;    // (ntree) who slept when positions were evaluated last
  mjtByte* woken;        // (ntree) scratch
  mjtNum* qpos_posed;    // (nq) positions of the sleepers that are posed
  mjtByte* mocap_moved;  // (nmocap)
  int* up;               // (ntree) scratch: union-find
  void* block;
} snSleepers;

// The numbers of the instance's state, as pointers.
typedef struct snSleepState_ {
  mjtNum* count;    // of trees that sleep
  mjtNum* phase;    // which slice of the model is looked at next
  mjtNum* slice;    // (nslice) hashes
  mjtNum* island;   // (ntree) 0 awake, else 1 + first tree of those that fell asleep together
  mjtNum* quiet;    // (ntree) s
  mjtNum* carried;  // (ntree) 1: touches a mocap body
  mjtNum *qpos, *act, *ctrl, *eq, *mocap;  // as they were
} snSleepState;

// A step looks at one slice of the model: 16 kB, or more where there would be too many slices.
enum { SLICE = 1 << 14, MOST_SLICES = 20 };

snSleepState sleep_state(const mjModel* m, const mjData* d, int instance, int nslice);

// The tables of d's model, made on first use; NULL without memory.
snSleepers* sleep_tables(const mjModel* m, mjData* d);

// Hash of a slice of the model's numbers, as a whole number.
mjtNum sleep_slice(const mjModel* m, const snSleepers* s, int slice);

// How many slices the model has.
int sleep_slices(const mjModel* m);

#endif
