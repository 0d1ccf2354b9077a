// Pools of threads and their tasks.
#ifndef MUJOCO_INCLUDE_MJTHREAD_H_
#define MUJOCO_INCLUDE_MJTHREAD_H_

#define mjMAXTHREAD 128  // threads in a pool

typedef enum mjtTaskStatus_ {  // state of a task
  mjTASK_NEW = 0,   // made
  mjTASK_QUEUED,    // handed to a pool
  mjTASK_COMPLETED  // done
} mjtTaskStatus;

// what a task does
typedef void* (*mjfTask)(void*);

struct mjThreadPool_ {  // pool of threads
  int nworker;  // threads
};
typedef struct mjThreadPool_ mjThreadPool;

struct mjTask_ {  // something for a pool to do
  mjfTask func;         // what to do
  void* args;           // what to do it with
  volatile int status;  // mjtTaskStatus
};
typedef struct mjTask_ mjTask;

#endif
