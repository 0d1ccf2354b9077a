// What a program hooks into: callbacks of every kind, memory and messages of its own, a provider of
// files, a pool of threads, data copied from thread to thread.
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arm.h"

// ---- callbacks: what they see and what becomes of what they give

static int calls[12];

static mjtNum clock_of_steps(void) { return 1e-3 * calls[0]++; }

static void control(const mjModel* m, mjData* d) {
  calls[1]++;
  for (int i = 0; i < m->nu; i++) d->ctrl[i] = 0.1 * mju_sin(3 * d->time + i);
}

static void passive(const mjModel* m, mjData* d) {
  calls[2]++;
  for (int i = 0; i < m->nv; i++) d->qfrc_passive[i] -= 0.05 * d->qvel[i];
}

static int filter(const mjModel* m, mjData* d, int geom1, int geom2) {
  calls[3]++;
  return geom1 == 0 && geom2 == m->ngeom - 1;  // nonzero leaves the pair out
}

static void sensor(const mjModel* m, mjData* d, int stage) {
  calls[4 + (stage == mjSTAGE_VEL) + 2 * (stage == mjSTAGE_ACC)]++;
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_type[i] == mjSENS_USER && (int)m->sensor_needstage[i] == stage) {
      d->sensordata[m->sensor_adr[i]] = 10 * stage + d->time;
    }
  }
}

static mjtNum dynamics(const mjModel* m, const mjData* d, int id) {
  calls[7]++;
  return d->ctrl[id] - d->act[m->actuator_actadr[id]];
}
static mjtNum gain(const mjModel* m, const mjData* d, int id) { return calls[8]++, 2; }
static mjtNum bias(const mjModel* m, const mjData* d, int id) {
  return calls[9]++, -0.3 * d->actuator_length[id];
}

static const char* const HOOKED =
    "<mujoco><option timestep='0.004'/><worldbody><geom type='plane' size='2 2 .1'/>"
    "<body pos='0 0 .5'><joint name='a' axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 "
    "0 .3 0 0'/>"
    "<body pos='.3 0 0'><joint name='b' axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 "
    "0 .3 0 0'/>"
    "</body></body><body pos='1 0 .09'><freejoint/><geom size='.1'/></body></worldbody>"
    "<actuator><motor joint='a'/><general joint='b' dyntype='user' actdim='1' gaintype='user' "
    "biastype='user'/>"
    "</actuator><sensor><user dim='1' needstage='pos' datatype='real'/>"
    "<user dim='1' needstage='acc' datatype='real'/></sensor></mujoco>";

static void callback_cases(void) {
  char error[300] = "";
  mjSpec* spec = mj_parseXMLString(HOOKED, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) {
    printf("no model %s\n", error);
    return;
  }
  mjcb_time = clock_of_steps;
  mjcb_control = control, mjcb_passive = passive, mjcb_contactfilter = filter;
  mjcb_sensor = sensor;
  mjcb_act_dyn = dynamics, mjcb_act_gain = gain, mjcb_act_bias = bias;
  mjData* d = mj_makeData(m);
  for (int i = 0; i < 50; i++) mj_step(m, d);
  printf("calls");
  for (int i = 1; i < 10; i++) printf(" %d", calls[i]);
  printf(" time %d\nqpos", calls[0] > 0);
  for (int i = 0; i < m->nq; i++) printf(" %.9f", d->qpos[i]);
  printf("\nact %.9f force %.9f %.9f sensors %.6f %.6f ncon %d\n", d->act[0], d->actuator_force[0],
         d->actuator_force[1], d->sensordata[0], d->sensordata[1], d->ncon);
  printf("timers %d %d\n", d->timer[mjTIMER_STEP].number, d->timer[mjTIMER_STEP].duration > 0);
  mj_forwardSkip(m, d, mjSTAGE_POS, 1);
  mj_step1(m, d), mj_step2(m, d);
  printf("after");
  for (int i = 1; i < 10; i++) printf(" %d", calls[i]);
  mj_resetCallbacks();
  printf(" reset %d %d\n", mjcb_control == NULL, mjcb_act_dyn == NULL);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

// ---- memory and messages

static long blocks, given;
static void* own_malloc(size_t bytes) {
  blocks++, given++;
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void own_free(void* block) {
  blocks -= block != NULL;
  free(block);
}
static int warnings;
static void own_warning(const char* text) { warnings++; }

static void memory_cases(void) {
  mju_user_malloc = own_malloc, mju_user_free = own_free;
  mju_user_warning = own_warning;
  char error[300];
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "arm.xml", ARM, (int)strlen(ARM));
  mjModel* m = mj_loadXML("arm.xml", &vfs, error, sizeof error);
  mjData* d = mj_makeData(m);
  mjModel* copy = mj_copyModel(NULL, m);
  mjData* other = mj_copyData(NULL, copy, d);
  printf("memory %d %d", given > 3, blocks > 3);
  for (int i = 0; i < 20; i++) mj_step(copy, other);
  d->qpos[0] = mjMAXVAL * 10;
  mj_step(m, d);
  printf(" warned %d %d reset %.6f\n", warnings, d->warning[mjWARN_BADQPOS].number, d->time);
  mj_deleteData(d), mj_deleteData(other);
  mj_deleteModel(m), mj_deleteModel(copy);
  mj_freeLastXML();
  mj_deleteVFS(&vfs);
  printf("left %ld\n", blocks);
  mju_user_malloc = NULL, mju_user_free = NULL, mju_user_warning = NULL;
}

// ---- files from a provider

static int opened, closed;
static int provider_open(mjResource* resource) {
  opened++;
  if (strcmp(resource->name, "mine:arm")) return 0;
  resource->data = (void*)ARM;
  return 1;
}
static int provider_read(mjResource* resource, const void** buffer) {
  *buffer = resource->data;
  return (int)strlen(ARM);
}
static void provider_close(mjResource* resource) { closed++; }

static void provider_cases(void) {
  mjpResourceProvider provider;
  mjp_defaultResourceProvider(&provider);
  provider.prefix = "mine";
  provider.open = provider_open, provider.read = provider_read, provider.close = provider_close;
  int before = mjp_resourceProviderCount(), slot = mjp_registerResourceProvider(&provider);
  const mjpResourceProvider* found = mjp_getResourceProvider("mine:arm");
  printf("provider %d %d %d %d", slot > 0, mjp_resourceProviderCount() - before,
         found && !strcmp(found->prefix, "mine"), mjp_getResourceProvider("other:arm") == NULL);
  printf(" again %d\n", mjp_registerResourceProvider(&provider) == slot);
  char error[300] = "";
  mjModel* m = mj_loadXML("mine:arm", NULL, error, sizeof error);
  printf("loaded %d", m ? m->nq : -1);
  mj_deleteModel(m);
  m = mj_loadXML("mine:none", NULL, error, sizeof error);
  printf(" missing %d %d opened %d closed %d\n", m == NULL, error[0] != 0, opened, closed >= 1);
}

// ---- threads

enum { TASKS = 12 };
typedef struct Job_ {
  const mjModel* m;
  mjData* d;
  const mjData* from;
  int steps;
} Job;

static void* run(void* argument) {
  Job* job = argument;
  mj_copyData(job->d, job->m, job->from);
  for (int i = 0; i < job->steps; i++) mj_step(job->m, job->d);
  return NULL;
}

static void thread_cases(void) {
  char error[300];
  mjSpec* spec = mj_parseXMLString(ARM, NULL, error, sizeof error);
  mjModel* m = mj_compile(spec, NULL);
  mjData* start = mj_makeData(m);
  for (int i = 0; i < 30; i++) mj_step(m, start);
  mjThreadPool* pool = mju_threadPoolCreate(3);
  mjTask tasks[TASKS];
  Job jobs[TASKS];
  for (int i = 0; i < TASKS; i++) {
    jobs[i] = (Job){m, mj_makeData(m), start, 10 * i};
    mju_defaultTask(&tasks[i]);
    tasks[i].func = run, tasks[i].args = &jobs[i];
    mju_threadPoolEnqueue(pool, &tasks[i]);
  }
  for (int i = 0; i < TASKS; i++) mju_taskJoin(&tasks[i]);
  mju_threadPoolDestroy(pool);
  pthread_t thread;
  Job last = {m, mj_makeData(m), start, 50};
  pthread_create(&thread, NULL, run, &last);
  pthread_join(thread, NULL);
  int same = !memcmp(last.d->qpos, jobs[5].d->qpos, sizeof(mjtNum) * (size_t)m->nq);
  printf("threads same %d", same);
  for (int i = 0; i < TASKS; i++) printf(" %.6f", jobs[i].d->qpos[0]);
  // a pool that belongs to data
  pool = mju_threadPoolCreate(2);
  mj_copyData(last.d, m, start);
  mju_bindThreadPool(last.d, pool);
  for (int i = 0; i < 50; i++) mj_step(m, last.d);
  printf(" bound %d %.6f\n", last.d->threadpool != 0, last.d->qpos[0] - jobs[5].d->qpos[0]);
  for (int i = 0; i < TASKS; i++) mj_deleteData(jobs[i].d);
  mj_deleteData(last.d), mj_deleteData(start);
  mju_threadPoolDestroy(pool);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

int main(void) {
  callback_cases();
  memory_cases();
  provider_cases();
  thread_cases();
  return 0;
}
