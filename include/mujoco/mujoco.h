// The documented functions.
#ifndef MUJOCO_MUJOCO_H_
#define MUJOCO_MUJOCO_H_

#define mjVERSION_HEADER 334  // version of these headers

#include <stdlib.h>
#include <math.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjexport.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjmacro.h>
#include <mujoco/mjplugin.h>
#include <mujoco/mjrender.h>
#include <mujoco/mjsan.h>
#include <mujoco/mjspec.h>
#include <mujoco/mjthread.h>
#include <mujoco/mjtnum.h>
#include <mujoco/mjui.h>
#include <mujoco/mjvisualize.h>

#ifdef __cplusplus
extern "C" {
#endif

MJAPI extern void  (*mju_user_error)(const char*);    // called instead of the default on an error
MJAPI extern void  (*mju_user_warning)(const char*);  // called instead of the default on a warning
MJAPI extern void* (*mju_user_malloc)(size_t);        // allocates instead of the default
MJAPI extern void  (*mju_user_free)(void*);           // frees instead of the default

MJAPI extern mjfGeneric  mjcb_passive;        // adds passive forces
MJAPI extern mjfGeneric  mjcb_control;        // sets controls
MJAPI extern mjfConFilt  mjcb_contactfilter;  // decides which geoms collide
MJAPI extern mjfSensor   mjcb_sensor;         // fills user sensors
MJAPI extern mjfTime     mjcb_time;           // tells the time to the timers
MJAPI extern mjfAct      mjcb_act_dyn;        // activation dynamics of user actuators
MJAPI extern mjfAct      mjcb_act_gain;       // gain of user actuators
MJAPI extern mjfAct      mjcb_act_bias;       // bias of user actuators

MJAPI extern mjfCollision mjCOLLISIONFUNC[mjNGEOMTYPES][mjNGEOMTYPES];  // collision function of each pair of geom kinds

MJAPI extern const char* mjDISABLESTRING[mjNDISABLE];  // names of mjtDisableBit
MJAPI extern const char* mjENABLESTRING[mjNENABLE];    // names of mjtEnableBit
MJAPI extern const char* mjTIMERSTRING[mjNTIMER];      // names of mjtTimer
MJAPI extern const char* mjLABELSTRING[mjNLABEL];      // names of mjtLabel
MJAPI extern const char* mjFRAMESTRING[mjNFRAME];      // names of mjtFrame
MJAPI extern const char* mjVISSTRING[mjNVISFLAG][3];   // names, defaults and shortcuts of mjtVisFlag
MJAPI extern const char* mjRNDSTRING[mjNRNDFLAG][3];   // names, defaults and shortcuts of mjtRndFlag

// Make an empty store of files; mj_deleteVFS frees it.
MJAPI void mj_defaultVFS(mjVFS* vfs);

// Read a file into the store. 0: done, 2: the name is there, -1: cannot be read.
MJAPI int mj_addFileVFS(mjVFS* vfs, const char* directory, const char* filename);

// Copy a buffer into the store under a name. 0: done, 2: the name is there, -1: failed.
MJAPI int mj_addBufferVFS(mjVFS* vfs, const char* name, const void* buffer, int nbuffer);

// Remove a file from the store. 0: done, -1: not there.
MJAPI int mj_deleteFileVFS(mjVFS* vfs, const char* filename);

// Remove all files and free the store.
MJAPI void mj_deleteVFS(mjVFS* vfs);

// Read an MJCF or URDF file (from vfs first, if given) and compile it. NULL: error says why.
MJAPI mjModel* mj_loadXML(const char* filename, const mjVFS* vfs, char* error, int error_sz);

// Read an MJCF or URDF file to a spec. NULL: error says why.
MJAPI mjSpec* mj_parseXML(const char* filename, const mjVFS* vfs, char* error, int error_sz);

// Read MJCF or URDF text to a spec. NULL: error says why.
MJAPI mjSpec* mj_parseXMLString(const char* xml, const mjVFS* vfs, char* error, int error_sz);

// Compile a spec. NULL: mjs_getError says why.
MJAPI mjModel* mj_compile(mjSpec* s, const mjVFS* vfs);

// Copy numbers from a model to the spec it came from. 1: done.
MJAPI int mj_copyBack(mjSpec* s, const mjModel* m);

// Compile a changed spec into the same model and data, keeping the state. 0: done.
MJAPI int mj_recompile(mjSpec* s, const mjVFS* vfs, mjModel* m, mjData* d);

// Save the last loaded XML with numbers of m as MJCF. 1: done.
MJAPI int mj_saveLastXML(const char* filename, const mjModel* m, char* error, int error_sz);

// Forget the last loaded XML.
MJAPI void mj_freeLastXML(void);

// Write a spec as MJCF to a buffer. 0: done, -1: error says why, n: needs n bytes.
MJAPI int mj_saveXMLString(const mjSpec* s, char* xml, int xml_sz, char* error, int error_sz);

// Write a spec as MJCF to a file. 0: done, -1: error says why.
MJAPI int mj_saveXML(const mjSpec* s, const char* filename, char* error, int error_sz);

// Advance the simulation by one time step.
MJAPI void mj_step(const mjModel* m, mjData* d);

// The first part of a step, before controls are needed.
MJAPI void mj_step1(const mjModel* m, mjData* d);

// The second part of a step, from controls on.
MJAPI void mj_step2(const mjModel* m, mjData* d);

// Forward dynamics: all that mj_step computes, without integration.
MJAPI void mj_forward(const mjModel* m, mjData* d);

// Inverse dynamics: the force that gives qacc.
MJAPI void mj_inverse(const mjModel* m, mjData* d);

// Forward dynamics from a stage on (mjtStage already done), with or without sensors.
MJAPI void mj_forwardSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor);

// Inverse dynamics from a stage on (mjtStage already done), with or without sensors.
MJAPI void mj_inverseSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor);

// Set default settings for the length range.
MJAPI void mj_defaultLROpt(mjLROpt* opt);

// Set default solver reference and impedance; either may be NULL.
MJAPI void mj_defaultSolRefImp(mjtNum* solref, mjtNum* solimp);

// Set default physics options.
MJAPI void mj_defaultOption(mjOption* opt);

// Set default visual options.
MJAPI void mj_defaultVisual(mjVisual* vis);

// Copy a model; make a new one if dest is NULL.
MJAPI mjModel* mj_copyModel(mjModel* dest, const mjModel* src);

// Save a model in binary form to a file, or to a buffer if there is no file name.
MJAPI void mj_saveModel(const mjModel* m, const char* filename, void* buffer, int buffer_sz);

// Load a model in binary form from a file or vfs. NULL: a warning said why.
MJAPI mjModel* mj_loadModel(const char* filename, const mjVFS* vfs);

// Free a model.
MJAPI void mj_deleteModel(mjModel* m);

// Bytes of a model in binary form.
MJAPI int mj_sizeModel(const mjModel* m);

// Make the data of a model, in its reset state.
MJAPI mjData* mj_makeData(const mjModel* m);

// Copy data; make a new one if dest is NULL.
MJAPI mjData* mj_copyData(mjData* dest, const mjModel* m, const mjData* src);

// Copy data, leaving out what pictures don't need; make a new one if dest is NULL.
MJAPI mjData* mjv_copyData(mjData* dest, const mjModel* m, const mjData* src);

// Set the data to the start.
MJAPI void mj_resetData(const mjModel* m, mjData* d);

// Set the data to the start, with arrays filled by a value first.
MJAPI void mj_resetDataDebug(const mjModel* m, mjData* d, unsigned char debug_value);

// Set the data to a keyframe.
MJAPI void mj_resetDataKeyframe(const mjModel* m, mjData* d, int key);

// Begin a frame on the stack.
MJAPI void mj_markStack(mjData* d);

// End the newest frame, freeing what it allocated.
MJAPI void mj_freeStack(mjData* d);

// Allocate bytes on the stack.
MJAPI void* mj_stackAllocByte(mjData* d, size_t bytes, size_t alignment);

// Allocate numbers on the stack.
MJAPI mjtNum* mj_stackAllocNum(mjData* d, size_t size);

// Allocate ints on the stack.
MJAPI int* mj_stackAllocInt(mjData* d, size_t size);

// Free data.
MJAPI void mj_deleteData(mjData* d);

// Set all callbacks to NULL.
MJAPI void mj_resetCallbacks(void);

// Compute constants of the model from qpos0; for use after numbers were changed.
MJAPI void mj_setConst(mjModel* m, mjData* d);

// Compute the length range of an actuator. 1: done, 0: error says why.
MJAPI int mj_setLengthRange(mjModel* m, mjData* d, int index,
                            const mjLROpt* opt, char* error, int error_sz);

// Make an empty spec.
MJAPI mjSpec* mj_makeSpec(void);

// Copy a spec.
MJAPI mjSpec* mj_copySpec(const mjSpec* s);

// Free a spec.
MJAPI void mj_deleteSpec(mjSpec* s);

// Make a plugin usable in a spec. 0: done, -1: unknown.
MJAPI int mjs_activatePlugin(mjSpec* s, const char* name);

// Choose whether attaching copies deeply. 0: done.
MJAPI int mjs_setDeepCopy(mjSpec* s, int deepcopy);

// Write a model as text, numbers in a given format.
MJAPI void mj_printFormattedModel(const mjModel* m, const char* filename, const char* float_format);

// Write a model as text.
MJAPI void mj_printModel(const mjModel* m, const char* filename);

// Write data as text, numbers in a given format.
MJAPI void mj_printFormattedData(const mjModel* m, const mjData* d, const char* filename,
                                 const char* float_format);

// Write data as text.
MJAPI void mj_printData(const mjModel* m, const mjData* d, const char* filename);

// Print a matrix.
MJAPI void mju_printMat(const mjtNum* mat, int nr, int nc);

// Print a sparse matrix.
MJAPI void mju_printMatSparse(const mjtNum* mat, int nr,
                              const int* rownnz, const int* rowadr, const int* colind);

// Write the elements and attributes of MJCF. Returns how many characters.
MJAPI int mj_printSchema(const char* filename, char* buffer, int buffer_sz,
                         int flg_html, int flg_pad);

// What depends on position.
MJAPI void mj_fwdPosition(const mjModel* m, mjData* d);

// What depends on velocity.
MJAPI void mj_fwdVelocity(const mjModel* m, mjData* d);

// Actuator forces.
MJAPI void mj_fwdActuation(const mjModel* m, mjData* d);

// Acceleration without constraints.
MJAPI void mj_fwdAcceleration(const mjModel* m, mjData* d);

// Constraint forces and acceleration.
MJAPI void mj_fwdConstraint(const mjModel* m, mjData* d);

// Integrate by semi-implicit Euler.
MJAPI void mj_Euler(const mjModel* m, mjData* d);

// Integrate by Runge-Kutta of order N (4).
MJAPI void mj_RungeKutta(const mjModel* m, mjData* d, int N);

// Integrate implicitly in velocity.
MJAPI void mj_implicit(const mjModel* m, mjData* d);

// What depends on position, for inverse dynamics.
MJAPI void mj_invPosition(const mjModel* m, mjData* d);

// What depends on velocity, for inverse dynamics.
MJAPI void mj_invVelocity(const mjModel* m, mjData* d);

// Constraint forces from accelerations, analytically.
MJAPI void mj_invConstraint(const mjModel* m, mjData* d);

// Compare forward and inverse dynamics, without changing the forward result.
MJAPI void mj_compareFwdInv(const mjModel* m, mjData* d);

// Sensors of the position stage.
MJAPI void mj_sensorPos(const mjModel* m, mjData* d);

// Sensors of the velocity stage.
MJAPI void mj_sensorVel(const mjModel* m, mjData* d);

// Sensors of the acceleration stage.
MJAPI void mj_sensorAcc(const mjModel* m, mjData* d);

// Potential energy.
MJAPI void mj_energyPos(const mjModel* m, mjData* d);

// Kinetic energy.
MJAPI void mj_energyVel(const mjModel* m, mjData* d);

// Look for bad numbers in qpos; warn and reset.
MJAPI void mj_checkPos(const mjModel* m, mjData* d);

// Look for bad numbers in qvel; warn and reset.
MJAPI void mj_checkVel(const mjModel* m, mjData* d);

// Look for bad numbers in qacc; warn and reset.
MJAPI void mj_checkAcc(const mjModel* m, mjData* d);

// Poses of bodies, joints, geoms and sites.
MJAPI void mj_kinematics(const mjModel* m, mjData* d);

// Centres of mass, inertias and motion axes about them.
MJAPI void mj_comPos(const mjModel* m, mjData* d);

// Poses of cameras and lights.
MJAPI void mj_camlight(const mjModel* m, mjData* d);

// Vertices, edges and boxes of flexes.
MJAPI void mj_flex(const mjModel* m, mjData* d);

// Lengths and Jacobians of tendons.
MJAPI void mj_tendon(const mjModel* m, mjData* d);

// Lengths and moments of actuators.
MJAPI void mj_transmission(const mjModel* m, mjData* d);

// Inertia matrix by composite bodies.
MJAPI void mj_crb(const mjModel* m, mjData* d);

// Inertia matrix with the armature of tendons.
MJAPI void mj_makeM(const mjModel* m, mjData* d);

// Factor of the inertia matrix, M = L'DL.
MJAPI void mj_factorM(const mjModel* m, mjData* d);

// x = inv(M) y for n vectors.
MJAPI void mj_solveM(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y, int n);

// x = sqrt(inv(D)) inv(L') y for n vectors.
MJAPI void mj_solveM2(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y,
                      const mjtNum* sqrtInvD, int n);

// Velocities of bodies and of motion axes.
MJAPI void mj_comVel(const mjModel* m, mjData* d);

// Passive forces.
MJAPI void mj_passive(const mjModel* m, mjData* d);

// Velocity and angular momentum of subtrees.
MJAPI void mj_subtreeVel(const mjModel* m, mjData* d);

// Bias force, with M qacc if flg_acc.
MJAPI void mj_rne(const mjModel* m, mjData* d, int flg_acc, mjtNum* result);

// Accelerations and interaction forces of bodies.
MJAPI void mj_rnePostConstraint(const mjModel* m, mjData* d);

// Contacts.
MJAPI void mj_collision(const mjModel* m, mjData* d);

// Constraint rows.
MJAPI void mj_makeConstraint(const mjModel* m, mjData* d);

// Constraint islands.
MJAPI void mj_island(const mjModel* m, mjData* d);

// Inverse inertia in constraint space.
MJAPI void mj_projectConstraint(const mjModel* m, mjData* d);

// Velocity and reference acceleration in constraint space.
MJAPI void mj_referenceConstraint(const mjModel* m, mjData* d);

// Forces, states and cost of constraints from J qacc - aref; optionally cone Hessians.
MJAPI void mj_constraintUpdate(const mjModel* m, mjData* d, const mjtNum* jar,
                               mjtNum cost[1], int flg_coneHessian);

// Size of a state vector of the given parts.
MJAPI int mj_stateSize(const mjModel* m, unsigned int spec);

// Copy parts of the state to a vector.
MJAPI void mj_getState(const mjModel* m, const mjData* d, mjtNum* state, unsigned int spec);

// Copy a vector to parts of the state.
MJAPI void mj_setState(const mjModel* m, mjData* d, const mjtNum* state, unsigned int spec);

// Copy the state to a keyframe of the model.
MJAPI void mj_setKeyframe(mjModel* m, const mjData* d, int k);

// Add a contact. 0: done, 1: no memory.
MJAPI int mj_addContact(const mjModel* m, mjData* d, const mjContact* con);

// Is the friction cone a pyramid.
MJAPI int mj_isPyramidal(const mjModel* m);

// Is the constraint Jacobian sparse.
MJAPI int mj_isSparse(const mjModel* m);

// Is the solver a dual one.
MJAPI int mj_isDual(const mjModel* m);

// J v.
MJAPI void mj_mulJacVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec);

// J' v.
MJAPI void mj_mulJacTVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec);

// Jacobian of a point that moves with a body (3 x nv each; either may be NULL).
MJAPI void mj_jac(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr,
                  const mjtNum point[3], int body);

// Jacobian of a body's frame.
MJAPI void mj_jacBody(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int body);

// Jacobian of a body's centre of mass.
MJAPI void mj_jacBodyCom(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int body);

// Jacobian of a subtree's centre of mass.
MJAPI void mj_jacSubtreeCom(const mjModel* m, mjData* d, mjtNum* jacp, int body);

// Jacobian of a geom.
MJAPI void mj_jacGeom(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int geom);

// Jacobian of a site.
MJAPI void mj_jacSite(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int site);

// Jacobian of a point and an axis that move with a body.
MJAPI void mj_jacPointAxis(const mjModel* m, mjData* d, mjtNum* jacPoint, mjtNum* jacAxis,
                           const mjtNum point[3], const mjtNum axis[3], int body);

// Time derivative of the Jacobian of a point that moves with a body.
MJAPI void mj_jacDot(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr,
                     const mjtNum point[3], int body);

// Matrix that gives the angular momentum of a subtree about its centre of mass (3 x nv).
MJAPI void mj_angmomMat(const mjModel* m, mjData* d, mjtNum* mat, int body);

// Id of a name; -1: not there.
MJAPI int mj_name2id(const mjModel* m, int type, const char* name);

// Name of an id; NULL: none.
MJAPI const char* mj_id2name(const mjModel* m, int type, int id);

// Inertia matrix as a dense one.
MJAPI void mj_fullM(const mjModel* m, mjtNum* dst, const mjtNum* M);

// M v.
MJAPI void mj_mulM(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec);

// sqrt(M) v.
MJAPI void mj_mulM2(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec);

// Add the inertia matrix to a dense or sparse one.
MJAPI void mj_addM(const mjModel* m, mjData* d, mjtNum* dst, int* rownnz, int* rowadr, int* colind);

// Add the generalized force of a force and torque at a point of a body.
MJAPI void mj_applyFT(const mjModel* m, mjData* d, const mjtNum force[3], const mjtNum torque[3],
                      const mjtNum point[3], int body, mjtNum* qfrc_target);

// Velocity of an object (rotation, translation), global or local.
MJAPI void mj_objectVelocity(const mjModel* m, const mjData* d,
                             int objtype, int objid, mjtNum res[6], int flg_local);

// Acceleration of an object (rotation, translation), global or local.
MJAPI void mj_objectAcceleration(const mjModel* m, const mjData* d,
                                 int objtype, int objid, mjtNum res[6], int flg_local);

// Shortest signed distance between two geoms, up to distmax, with the segment.
MJAPI mjtNum mj_geomDistance(const mjModel* m, const mjData* d, int geom1, int geom2,
                             mjtNum distmax, mjtNum fromto[6]);

// Force and torque of a contact in its frame.
MJAPI void mj_contactForce(const mjModel* m, const mjData* d, int id, mjtNum result[6]);

// Velocity that leads from qpos1 to qpos2 in dt.
MJAPI void mj_differentiatePos(const mjModel* m, mjtNum* qvel, mjtNum dt,
                               const mjtNum* qpos1, const mjtNum* qpos2);

// Advance positions by a velocity for dt.
MJAPI void mj_integratePos(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt);

// Normalize all quaternions in qpos.
MJAPI void mj_normalizeQuat(const mjModel* m, mjtNum* qpos);

// Pose in a body to global pose.
MJAPI void mj_local2Global(mjData* d, mjtNum xpos[3], mjtNum xmat[9], const mjtNum pos[3],
                           const mjtNum quat[4], int body, mjtByte sameframe);

// Sum of all masses.
MJAPI mjtNum mj_getTotalmass(const mjModel* m);

// Scale masses and inertias to a total mass.
MJAPI void mj_setTotalmass(mjModel* m, mjtNum newmass);

// Setting of a plugin instance; NULL: not known.
MJAPI const char* mj_getPluginConfig(const mjModel* m, int plugin_id, const char* attrib);

// Load a library, which registers its plugins.
MJAPI void mj_loadPluginLibrary(const char* path);

// Load all libraries of a folder, which register their plugins.
MJAPI void mj_loadAllPluginLibraries(const char* directory, mjfPluginLibraryLoadCallback callback);

// Version as a number.
MJAPI int mj_version(void);

// Version as text.
MJAPI const char* mj_versionString(void);

// Meet geoms with many rays from one point.
MJAPI void mj_multiRay(const mjModel* m, mjData* d, const mjtNum pnt[3], const mjtNum* vec,
                       const mjtByte* geomgroup, mjtByte flg_static, int bodyexclude,
                       int* geomid, mjtNum* dist, int nray, mjtNum cutoff);

// Meet geoms with a ray; the distance, or -1.
MJAPI mjtNum mj_ray(const mjModel* m, const mjData* d, const mjtNum pnt[3], const mjtNum vec[3],
                    const mjtByte* geomgroup, mjtByte flg_static, int bodyexclude,
                    int geomid[1]);

// Meet a height field with a ray; the distance, or -1.
MJAPI mjtNum mj_rayHfield(const mjModel* m, const mjData* d, int geomid,
                          const mjtNum pnt[3], const mjtNum vec[3]);

// Meet a mesh with a ray; the distance, or -1.
MJAPI mjtNum mj_rayMesh(const mjModel* m, const mjData* d, int geomid,
                        const mjtNum pnt[3], const mjtNum vec[3]);

// Meet a shape with a ray; the distance, or -1.
MJAPI mjtNum mju_rayGeom(const mjtNum pos[3], const mjtNum mat[9], const mjtNum size[3],
                         const mjtNum pnt[3], const mjtNum vec[3], int geomtype);

// Meet a flex with a ray; the distance, or -1.
MJAPI mjtNum mju_rayFlex(const mjModel* m, const mjData* d, int flex_layer, mjtByte flg_vert,
                         mjtByte flg_edge, mjtByte flg_face, mjtByte flg_skin, int flexid,
                         const mjtNum* pnt, const mjtNum* vec, int vertid[1]);

// Meet a skin with a ray; the distance, or -1.
MJAPI mjtNum mju_raySkin(int nface, int nvert, const int* face, const float* vert,
                         const mjtNum pnt[3], const mjtNum vec[3], int vertid[1]);

// Set a default camera.
MJAPI void mjv_defaultCamera(mjvCamera* cam);

// Set a free camera that sees the whole model.
MJAPI void mjv_defaultFreeCamera(const mjModel* m, mjvCamera* cam);

// Set a default perturbation.
MJAPI void mjv_defaultPerturb(mjvPerturb* pert);

// Pose in the room to pose in the model.
MJAPI void mjv_room2model(mjtNum modelpos[3], mjtNum modelquat[4], const mjtNum roompos[3],
                          const mjtNum roomquat[4], const mjvScene* scn);

// Pose in the model to pose in the room.
MJAPI void mjv_model2room(mjtNum roompos[3], mjtNum roomquat[4], const mjtNum modelpos[3],
                          const mjtNum modelquat[4], const mjvScene* scn);

// Camera in the model.
MJAPI void mjv_cameraInModel(mjtNum headpos[3], mjtNum forward[3], mjtNum up[3],
                             const mjvScene* scn);

// Camera in the room.
MJAPI void mjv_cameraInRoom(mjtNum headpos[3], mjtNum forward[3], mjtNum up[3],
                            const mjvScene* scn);

// Height of the frustum at unit distance.
MJAPI mjtNum mjv_frustumHeight(const mjvScene* scn);

// Turn a vector of the horizontal plane to the camera's direction.
MJAPI void mjv_alignToCamera(mjtNum res[3], const mjtNum vec[3], const mjtNum forward[3]);

// Move a camera with the mouse.
MJAPI void mjv_moveCamera(const mjModel* m, int action, mjtNum reldx, mjtNum reldy,
                          const mjvScene* scn, mjvCamera* cam);

// Move a perturbation with the mouse.
MJAPI void mjv_movePerturb(const mjModel* m, const mjData* d, int action, mjtNum reldx,
                           mjtNum reldy, const mjvScene* scn, mjvPerturb* pert);

// Move the model with the mouse.
MJAPI void mjv_moveModel(const mjModel* m, int action, mjtNum reldx, mjtNum reldy,
                         const mjtNum roomup[3], mjvScene* scn);

// Begin a perturbation at the selected object.
MJAPI void mjv_initPerturb(const mjModel* m, mjData* d, const mjvScene* scn, mjvPerturb* pert);

// Set the pose of the perturbed object when it is mocap, or paused.
MJAPI void mjv_applyPerturbPose(const mjModel* m, mjData* d, const mjvPerturb* pert,
                                int flg_paused);

// Set the force of the perturbation.
MJAPI void mjv_applyPerturbForce(const mjModel* m, mjData* d, const mjvPerturb* pert);

// Mean of two cameras.
MJAPI mjvGLCamera mjv_averageCamera(const mjvGLCamera* cam1, const mjvGLCamera* cam2);

// Find what is under the mouse by a ray; the body, or -1.
MJAPI int mjv_select(const mjModel* m, const mjData* d, const mjvOption* vopt,
                     mjtNum aspectratio, mjtNum relx, mjtNum rely,
                     const mjvScene* scn, mjtNum selpnt[3],
                     int geomid[1], int flexid[1], int skinid[1]);

// Set default view options.
MJAPI void mjv_defaultOption(mjvOption* opt);

// Set a default figure.
MJAPI void mjv_defaultFigure(mjvFigure* fig);

// Set a scene geom; NULL arguments take defaults.
MJAPI void mjv_initGeom(mjvGeom* geom, int type, const mjtNum size[3],
                        const mjtNum pos[3], const mjtNum mat[9], const float rgba[4]);

// Set a scene geom that connects two points.
MJAPI void mjv_connector(mjvGeom* geom, int type, mjtNum width,
                         const mjtNum from[3], const mjtNum to[3]);

// Set an empty scene.
MJAPI void mjv_defaultScene(mjvScene* scn);

// Allocate a scene.
MJAPI void mjv_makeScene(const mjModel* m, mjvScene* scn, int maxgeom);

// Free a scene.
MJAPI void mjv_freeScene(mjvScene* scn);

// Fill the scene from model and data.
MJAPI void mjv_updateScene(const mjModel* m, mjData* d, const mjvOption* opt,
                           const mjvPerturb* pert, mjvCamera* cam, int catmask, mjvScene* scn);

// Copy a model, leaving out what pictures don't need.
MJAPI void mjv_copyModel(mjModel* dest, const mjModel* src);

// Add geoms of the given categories to the scene.
MJAPI void mjv_addGeoms(const mjModel* m, mjData* d, const mjvOption* opt,
                        const mjvPerturb* pert, int catmask, mjvScene* scn);

// Make the lights of the scene.
MJAPI void mjv_makeLights(const mjModel* m, const mjData* d, mjvScene* scn);

// Make the cameras of the scene.
MJAPI void mjv_updateCamera(const mjModel* m, const mjData* d, mjvCamera* cam, mjvScene* scn);

// Make the skins of the scene.
MJAPI void mjv_updateSkin(const mjModel* m, const mjData* d, mjvScene* scn);

// Set an empty context.
MJAPI void mjr_defaultContext(mjrContext* con);

// Allocate a context with OpenGL.
MJAPI void mjr_makeContext(const mjModel* m, mjrContext* con, int fontscale);

// Change the size of fonts.
MJAPI void mjr_changeFont(int fontscale, mjrContext* con);

// Make an auxiliary buffer.
MJAPI void mjr_addAux(int index, int width, int height, int samples, mjrContext* con);

// Free a context.
MJAPI void mjr_freeContext(mjrContext* con);

// Change the size of the offscreen buffer.
MJAPI void mjr_resizeOffscreen(int width, int height, mjrContext* con);

// Send a texture to the graphics card again.
MJAPI void mjr_uploadTexture(const mjModel* m, const mjrContext* con, int texid);

// Send a mesh to the graphics card again.
MJAPI void mjr_uploadMesh(const mjModel* m, const mjrContext* con, int meshid);

// Send a height field to the graphics card again.
MJAPI void mjr_uploadHField(const mjModel* m, const mjrContext* con, int hfieldid);

// Take the context's buffer as current again.
MJAPI void mjr_restoreBuffer(const mjrContext* con);

// Choose window or offscreen buffer.
MJAPI void mjr_setBuffer(int framebuffer, mjrContext* con);

// Read pixels; either may be NULL.
MJAPI void mjr_readPixels(unsigned char* rgb, float* depth,
                          mjrRect viewport, const mjrContext* con);

// Draw pixels; either may be NULL.
MJAPI void mjr_drawPixels(const unsigned char* rgb, const float* depth,
                          mjrRect viewport, const mjrContext* con);

// Copy between window and offscreen buffer.
MJAPI void mjr_blitBuffer(mjrRect src, mjrRect dst,
                          int flg_color, int flg_depth, const mjrContext* con);

// Choose an auxiliary buffer.
MJAPI void mjr_setAux(int index, const mjrContext* con);

// Copy from an auxiliary buffer to the current one.
MJAPI void mjr_blitAux(int index, mjrRect src, int left, int bottom, const mjrContext* con);

// Draw text.
MJAPI void mjr_text(int font, const char* txt, const mjrContext* con,
                    float x, float y, float r, float g, float b);

// Draw overlay text.
MJAPI void mjr_overlay(int font, int gridpos, mjrRect viewport,
                       const char* overlay, const char* overlay2, const mjrContext* con);

// Whole rectangle of the current buffer.
MJAPI mjrRect mjr_maxViewport(const mjrContext* con);

// Draw a rectangle.
MJAPI void mjr_rectangle(mjrRect viewport, float r, float g, float b, float a);

// Draw a rectangle with text.
MJAPI void mjr_label(mjrRect viewport, int font, const char* txt,
                     float r, float g, float b, float a, float rt, float gt, float bt,
                     const mjrContext* con);

// Draw a figure.
MJAPI void mjr_figure(mjrRect viewport, mjvFigure* fig, const mjrContext* con);

// Draw a scene.
MJAPI void mjr_render(mjrRect viewport, mjvScene* scn, const mjrContext* con);

// Wait until drawing is done.
MJAPI void mjr_finish(void);

// OpenGL's error; 0: none.
MJAPI int mjr_getError(void);

// Rectangle that contains a point; -1: none.
MJAPI int mjr_findRect(int x, int y, int nrect, const mjrRect* rect);

// Built-in spacing.
MJAPI mjuiThemeSpacing mjui_themeSpacing(int ind);

// Built-in colours.
MJAPI mjuiThemeColor mjui_themeColor(int ind);

// Add items to an interface.
MJAPI void mjui_add(mjUI* ui, const mjuiDef* def);

// Add items to a section.
MJAPI void mjui_addToSection(mjUI* ui, int sect, const mjuiDef* def);

// Compute the size of an interface.
MJAPI void mjui_resize(mjUI* ui, const mjrContext* con);

// Draw items again into the interface's buffer; -1: all.
MJAPI void mjui_update(int section, int item, const mjUI* ui,
                       const mjuiState* state, const mjrContext* con);

// Handle an event; the item that changed, or NULL.
MJAPI mjuiItem* mjui_event(mjUI* ui, mjuiState* state, const mjrContext* con);

// Copy an interface to the screen.
MJAPI void mjui_render(mjUI* ui, const mjuiState* state, const mjrContext* con);

// Report misuse, which a program is not expected to survive.
MJAPI void mju_error(const char* msg, ...) mjPRINTFLIKE(1, 2);

// mju_error with an int.
MJAPI void mju_error_i(const char* msg, int i);

// mju_error with text.
MJAPI void mju_error_s(const char* msg, const char* text);

// Report something doubtful.
MJAPI void mju_warning(const char* msg, ...) mjPRINTFLIKE(1, 2);

// mju_warning with an int.
MJAPI void mju_warning_i(const char* msg, int i);

// mju_warning with text.
MJAPI void mju_warning_s(const char* msg, const char* text);

// Forget the user's error, warning and memory handlers.
MJAPI void mju_clearHandlers(void);

// Allocate memory aligned to 64 bytes.
MJAPI void* mju_malloc(size_t size);

// Free memory from mju_malloc.
MJAPI void mju_free(void* ptr);

// Count a warning of the simulation, and report the first of its kind.
MJAPI void mj_warning(mjData* d, int warning, int info);

// Append a line with the time to the log file.
MJAPI void mju_writeLog(const char* type, const char* msg);

// Message of the last compilation.
MJAPI const char* mjs_getError(mjSpec* s);

// Is that message a warning only.
MJAPI int mjs_isWarning(mjSpec* s);

#if !defined(mjUSESINGLE)
  #define mju_sqrt    sqrt
  #define mju_exp     exp
  #define mju_sin     sin
  #define mju_cos     cos
  #define mju_tan     tan
  #define mju_asin    asin
  #define mju_acos    acos
  #define mju_atan2   atan2
  #define mju_tanh    tanh
  #define mju_pow     pow
  #define mju_abs     fabs
  #define mju_log     log
  #define mju_log10   log10
  #define mju_floor   floor
  #define mju_ceil    ceil

#else
  #define mju_sqrt    sqrtf
  #define mju_exp     expf
  #define mju_sin     sinf
  #define mju_cos     cosf
  #define mju_tan     tanf
  #define mju_asin    asinf
  #define mju_acos    acosf
  #define mju_atan2   atan2f
  #define mju_tanh    tanhf
  #define mju_pow     powf
  #define mju_abs     fabsf
  #define mju_log     logf
  #define mju_log10   log10f
  #define mju_floor   floorf
  #define mju_ceil    ceilf
#endif

// res = 0
MJAPI void mju_zero3(mjtNum res[3]);

// res = data
MJAPI void mju_copy3(mjtNum res[3], const mjtNum data[3]);

// res = vec scl
MJAPI void mju_scl3(mjtNum res[3], const mjtNum vec[3], mjtNum scl);

// res = vec1 + vec2
MJAPI void mju_add3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3]);

// res = vec1 - vec2
MJAPI void mju_sub3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3]);

// res += vec
MJAPI void mju_addTo3(mjtNum res[3], const mjtNum vec[3]);

// res -= vec
MJAPI void mju_subFrom3(mjtNum res[3], const mjtNum vec[3]);

// res += vec scl
MJAPI void mju_addToScl3(mjtNum res[3], const mjtNum vec[3], mjtNum scl);

// res = vec1 + vec2 scl
MJAPI void mju_addScl3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3], mjtNum scl);

// Scale to unit length; returns the length before.
MJAPI mjtNum mju_normalize3(mjtNum vec[3]);

// Length.
MJAPI mjtNum mju_norm3(const mjtNum vec[3]);

// Dot product.
MJAPI mjtNum mju_dot3(const mjtNum vec1[3], const mjtNum vec2[3]);

// Distance.
MJAPI mjtNum mju_dist3(const mjtNum pos1[3], const mjtNum pos2[3]);

// res = mat vec
MJAPI void mju_mulMatVec3(mjtNum res[3], const mjtNum mat[9], const mjtNum vec[3]);

// res = mat' vec
MJAPI void mju_mulMatTVec3(mjtNum res[3], const mjtNum mat[9], const mjtNum vec[3]);

// res = a x b
MJAPI void mju_cross(mjtNum res[3], const mjtNum a[3], const mjtNum b[3]);

// res = 0
MJAPI void mju_zero4(mjtNum res[4]);

// res = (1, 0, 0, 0)
MJAPI void mju_unit4(mjtNum res[4]);

// res = data
MJAPI void mju_copy4(mjtNum res[4], const mjtNum data[4]);

// Scale to unit length; returns the length before.
MJAPI mjtNum mju_normalize4(mjtNum vec[4]);

// res = 0
MJAPI void mju_zero(mjtNum* res, int n);

// res = val
MJAPI void mju_fill(mjtNum* res, mjtNum val, int n);

// res = vec
MJAPI void mju_copy(mjtNum* res, const mjtNum* vec, int n);

// Sum.
MJAPI mjtNum mju_sum(const mjtNum* vec, int n);

// Sum of magnitudes.
MJAPI mjtNum mju_L1(const mjtNum* vec, int n);

// res = vec scl
MJAPI void mju_scl(mjtNum* res, const mjtNum* vec, mjtNum scl, int n);

// res = vec1 + vec2
MJAPI void mju_add(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, int n);

// res = vec1 - vec2
MJAPI void mju_sub(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, int n);

// res += vec
MJAPI void mju_addTo(mjtNum* res, const mjtNum* vec, int n);

// res -= vec
MJAPI void mju_subFrom(mjtNum* res, const mjtNum* vec, int n);

// res += vec scl
MJAPI void mju_addToScl(mjtNum* res, const mjtNum* vec, mjtNum scl, int n);

// res = vec1 + vec2 scl
MJAPI void mju_addScl(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, mjtNum scl, int n);

// Scale to unit length; returns the length before.
MJAPI mjtNum mju_normalize(mjtNum* res, int n);

// Length.
MJAPI mjtNum mju_norm(const mjtNum* res, int n);

// Dot product.
MJAPI mjtNum mju_dot(const mjtNum* vec1, const mjtNum* vec2, int n);

// res = mat vec
MJAPI void mju_mulMatVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc);

// res = mat' vec
MJAPI void mju_mulMatTVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc);

// vec1' mat vec2
MJAPI mjtNum mju_mulVecMatVec(const mjtNum* vec1, const mjtNum* mat, const mjtNum* vec2, int n);

// res = mat'
MJAPI void mju_transpose(mjtNum* res, const mjtNum* mat, int nr, int nc);

// res = (mat + mat')/2
MJAPI void mju_symmetrize(mjtNum* res, const mjtNum* mat, int n);

// mat = identity
MJAPI void mju_eye(mjtNum* mat, int n);

// res = mat1 mat2
MJAPI void mju_mulMatMat(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2,
                         int r1, int c1, int c2);

// res = mat1 mat2'
MJAPI void mju_mulMatMatT(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2,
                          int r1, int c1, int r2);

// res = mat1' mat2
MJAPI void mju_mulMatTMat(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2,
                          int r1, int c1, int c2);

// res = mat' diag mat; diag may be NULL
MJAPI void mju_sqrMatTD(mjtNum* res, const mjtNum* mat, const mjtNum* diag, int nr, int nc);

// Express a spatial motion or force (rotation, translation) in another frame.
MJAPI void mju_transformSpatial(mjtNum res[6], const mjtNum vec[6], int flg_force,
                                const mjtNum newpos[3], const mjtNum oldpos[3],
                                const mjtNum rotnew2old[9]);

// Dense matrix to compressed rows. 0: done, 1: nnz is too small.
MJAPI int mju_dense2sparse(mjtNum* res, const mjtNum* mat, int nr, int nc,
                           int* rownnz, int* rowadr, int* colind, int nnz);

// Compressed rows to dense matrix.
MJAPI void mju_sparse2dense(mjtNum* res, const mjtNum* mat, int nr, int nc,
                            const int* rownnz, const int* rowadr, const int* colind);

// Rotate a vector.
MJAPI void mju_rotVecQuat(mjtNum res[3], const mjtNum vec[3], const mjtNum quat[4]);

// Conjugate: the inverse rotation.
MJAPI void mju_negQuat(mjtNum res[4], const mjtNum quat[4]);

// Product: quat2 first, then quat1.
MJAPI void mju_mulQuat(mjtNum res[4], const mjtNum quat1[4], const mjtNum quat2[4]);

// Product with (0, axis).
MJAPI void mju_mulQuatAxis(mjtNum res[4], const mjtNum quat[4], const mjtNum axis[3]);

// Axis and angle to quaternion.
MJAPI void mju_axisAngle2Quat(mjtNum res[4], const mjtNum axis[3], mjtNum angle);

// Quaternion to the angular velocity that gives it in dt.
MJAPI void mju_quat2Vel(mjtNum res[3], const mjtNum quat[4], mjtNum dt);

// Angular velocity that leads from qb to qa in unit time, in qb's frame.
MJAPI void mju_subQuat(mjtNum res[3], const mjtNum qa[4], const mjtNum qb[4]);

// Quaternion to rotation matrix.
MJAPI void mju_quat2Mat(mjtNum res[9], const mjtNum quat[4]);

// Rotation matrix to quaternion.
MJAPI void mju_mat2Quat(mjtNum quat[4], const mjtNum mat[9]);

// Time derivative of a quaternion that turns with vel.
MJAPI void mju_derivQuat(mjtNum res[4], const mjtNum quat[4], const mjtNum vel[3]);

// Turn a quaternion with vel for a time.
MJAPI void mju_quatIntegrate(mjtNum quat[4], const mjtNum vel[3], mjtNum scale);

// Smallest rotation that takes z to vec.
MJAPI void mju_quatZ2Vec(mjtNum quat[4], const mjtNum vec[3]);

// Rotation nearest to a matrix, from a first guess. Returns the iterations.
MJAPI int mju_mat2Rot(mjtNum quat[4], const mjtNum mat[9]);

// Euler angles to quaternion; seq of xyz (moving) or XYZ (fixed).
MJAPI void mju_euler2Quat(mjtNum quat[4], const mjtNum euler[3], const char* seq);

// Product of poses: the second, then the first.
MJAPI void mju_mulPose(mjtNum posres[3], mjtNum quatres[4],
                       const mjtNum pos1[3], const mjtNum quat1[4],
                       const mjtNum pos2[3], const mjtNum quat2[4]);

// Inverse pose.
MJAPI void mju_negPose(mjtNum posres[3], mjtNum quatres[4],
                       const mjtNum pos[3], const mjtNum quat[4]);

// Move a point by a pose.
MJAPI void mju_trnVecPose(mjtNum res[3], const mjtNum pos[3], const mjtNum quat[4],
                          const mjtNum vec[3]);

// Cholesky factor in place, mat = L L'. Returns the rank.
MJAPI int mju_cholFactor(mjtNum* mat, int n, mjtNum mindiag);

// res = inv(mat) vec, with mat from mju_cholFactor.
MJAPI void mju_cholSolve(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int n);

// Factor of L L' + x x' or L L' - x x'. Returns the rank; x is overwritten.
MJAPI int mju_cholUpdate(mjtNum* mat, mjtNum* x, int n, int flg_plus);

// Cholesky factor of a band with dense rows below, in place. Returns the least diagonal, 0: rank is deficient.
MJAPI mjtNum mju_cholFactorBand(mjtNum* mat, int ntotal, int nband, int ndense,
                                mjtNum diagadd, mjtNum diagmul);

// res = inv(mat) vec, with mat from mju_cholFactorBand.
MJAPI void mju_cholSolveBand(mjtNum* res, const mjtNum* mat, const mjtNum* vec,
                             int ntotal, int nband, int ndense);

// Band with dense rows to dense matrix.
MJAPI void mju_band2Dense(mjtNum* res, const mjtNum* mat, int ntotal, int nband, int ndense,
                          mjtByte flg_sym);

// Dense matrix to band with dense rows.
MJAPI void mju_dense2Band(mjtNum* res, const mjtNum* mat, int ntotal, int nband, int ndense);

// Product of a band with dense rows and nvec vectors.
MJAPI void mju_bandMulMatVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec,
                             int ntotal, int nband, int ndense, int nvec, mjtByte flg_sym);

// Address of a diagonal element of a band with dense rows.
MJAPI int mju_bandDiag(int i, int ntotal, int nband, int ndense);

// Eigenvalues and vectors of a symmetric 3x3 matrix, in descending order. Returns the iterations.
MJAPI int mju_eig3(mjtNum eigval[3], mjtNum eigvec[9], mjtNum quat[4], const mjtNum mat[9]);

// Minimize x'Hx/2 + x'g with lower <= x <= upper. Returns the rank, -1: failed.
MJAPI int mju_boxQP(mjtNum* res, mjtNum* R, int* index, const mjtNum* H, const mjtNum* g, int n,
                    const mjtNum* lower, const mjtNum* upper);

// Allocate the arrays of mju_boxQP.
MJAPI void mju_boxQPmalloc(mjtNum** res, mjtNum** R, int** index, mjtNum** H, mjtNum** g, int n,
                           mjtNum** lower, mjtNum** upper);

// Active force of a muscle.
MJAPI mjtNum mju_muscleGain(mjtNum len, mjtNum vel, const mjtNum lengthrange[2],
                            mjtNum acc0, const mjtNum prm[9]);

// Passive force of a muscle.
MJAPI mjtNum mju_muscleBias(mjtNum len, const mjtNum lengthrange[2],
                            mjtNum acc0, const mjtNum prm[9]);

// Time derivative of a muscle's activation.
MJAPI mjtNum mju_muscleDynamics(mjtNum ctrl, mjtNum act, const mjtNum prm[3]);

// Contact force to pyramid edges.
MJAPI void mju_encodePyramid(mjtNum* pyramid, const mjtNum* force, const mjtNum* mu, int dim);

// Pyramid edges to contact force.
MJAPI void mju_decodePyramid(mjtNum* force, const mjtNum* pyramid, const mjtNum* mu, int dim);

// Position after dt of a spring and damper, exactly.
MJAPI mjtNum mju_springDamper(mjtNum pos0, mjtNum vel0, mjtNum Kp, mjtNum Kv, mjtNum dt);

// The lesser.
MJAPI mjtNum mju_min(mjtNum a, mjtNum b);

// The greater.
MJAPI mjtNum mju_max(mjtNum a, mjtNum b);

// x within min and max.
MJAPI mjtNum mju_clip(mjtNum x, mjtNum min, mjtNum max);

// -1, 0 or 1.
MJAPI mjtNum mju_sign(mjtNum x);

// Nearest int.
MJAPI int mju_round(mjtNum x);

// Name of an mjtObj; NULL: none.
MJAPI const char* mju_type2Str(int type);

// mjtObj of a name.
MJAPI int mju_str2Type(const char* str);

// Number of bytes for people.
MJAPI const char* mju_writeNumBytes(size_t nbytes);

// Text of a warning.
MJAPI const char* mju_warningText(int warning, size_t info);

// Is a number not finite, or too large.
MJAPI int mju_isBad(mjtNum x);

// Are all zero.
MJAPI int mju_isZero(mjtNum* vec, int n);

// Normal random number; a second one in num2 if not NULL.
MJAPI mjtNum mju_standardNormal(mjtNum* num2);

// float to mjtNum.
MJAPI void mju_f2n(mjtNum* res, const float* vec, int n);

// mjtNum to float.
MJAPI void mju_n2f(float* res, const mjtNum* vec, int n);

// double to mjtNum.
MJAPI void mju_d2n(mjtNum* res, const double* vec, int n);

// mjtNum to double.
MJAPI void mju_n2d(double* res, const mjtNum* vec, int n);

// Sort ascending.
MJAPI void mju_insertionSort(mjtNum* list, int n);

// Sort ascending.
MJAPI void mju_insertionSortInt(int* list, int n);

// Element of the Halton sequence.
MJAPI mjtNum mju_Halton(int index, int base);

// Copy at most n-1 characters and close with zero.
MJAPI char* mju_strncpy(char *dst, const char *src, int n);

// Smooth step from 0 to 1, twice differentiable.
MJAPI mjtNum mju_sigmoid(mjtNum x);

// Plugin of a geom's signed distance.
MJAPI const mjpPlugin* mjc_getSDF(const mjModel* m, int id);

// Signed distance of a pair at a point.
MJAPI mjtNum mjc_distance(const mjModel* m, const mjData* d, const mjSDF* s, const mjtNum x[3]);

// Its gradient.
MJAPI void mjc_gradient(const mjModel* m, const mjData* d, const mjSDF* s, mjtNum gradient[3],
                        const mjtNum x[3]);

// Derivatives of one step by differences: A, B (state), C, D (sensors) by state and control; any may be NULL.
MJAPI void mjd_transitionFD(const mjModel* m, mjData* d, mjtNum eps, mjtByte flg_centered,
                            mjtNum* A, mjtNum* B, mjtNum* C, mjtNum* D);

// Derivatives of inverse dynamics by differences; any may be NULL.
MJAPI void mjd_inverseFD(const mjModel* m, mjData* d, mjtNum eps, mjtByte flg_actuation,
                         mjtNum *DfDq, mjtNum *DfDv, mjtNum *DfDa,
                         mjtNum *DsDq, mjtNum *DsDv, mjtNum *DsDa,
                         mjtNum *DmDq);

// Derivatives of mju_subQuat.
MJAPI void mjd_subQuat(const mjtNum qa[4], const mjtNum qb[4], mjtNum Da[9], mjtNum Db[9]);

// Derivatives of mju_quatIntegrate.
MJAPI void mjd_quatIntegrate(const mjtNum vel[3], mjtNum scale,
                             mjtNum Dquat[9], mjtNum Dvel[9], mjtNum Dscale[3]);

// Set an empty plugin.
MJAPI void mjp_defaultPlugin(mjpPlugin* plugin);

// Register a plugin. Returns its slot.
MJAPI int mjp_registerPlugin(const mjpPlugin* plugin);

// Number of registered plugins.
MJAPI int mjp_pluginCount(void);

// Plugin by name, with its slot; NULL: not registered.
MJAPI const mjpPlugin* mjp_getPlugin(const char* name, int* slot);

// Plugin by slot; NULL: none.
MJAPI const mjpPlugin* mjp_getPluginAtSlot(int slot);

// Set an empty provider.
MJAPI void mjp_defaultResourceProvider(mjpResourceProvider* provider);

// Register a provider. Returns its slot, from 1; -1: failed.
MJAPI int mjp_registerResourceProvider(const mjpResourceProvider* provider);

// Number of registered providers.
MJAPI int mjp_resourceProviderCount(void);

// Provider of a name's prefix; NULL: none.
MJAPI const mjpResourceProvider* mjp_getResourceProvider(const char* resource_name);

// Provider by slot; NULL: none.
MJAPI const mjpResourceProvider* mjp_getResourceProviderAtSlot(int slot);

// Make a pool of threads.
MJAPI mjThreadPool* mju_threadPoolCreate(size_t number_of_threads);

// Let data use a pool.
MJAPI void mju_bindThreadPool(mjData* d, void* thread_pool);

// Hand a task to a pool.
MJAPI void mju_threadPoolEnqueue(mjThreadPool* thread_pool, mjTask* task);

// End a pool; nothing may be under way.
MJAPI void mju_threadPoolDestroy(mjThreadPool* thread_pool);

// Set an empty task.
MJAPI void mju_defaultTask(mjTask* task);

// Wait until a task is done.
MJAPI void mju_taskJoin(mjTask* task);

// Attach an element with what it needs to a frame, body or site, names extended. NULL: failed.
MJAPI mjsElement* mjs_attach(mjsElement* parent, const mjsElement* child,
                             const char* prefix, const char* suffix);

// Add a body with the defaults of a class.
MJAPI mjsBody* mjs_addBody(mjsBody* body, const mjsDefault* def);

// Add a site with the defaults of a class.
MJAPI mjsSite* mjs_addSite(mjsBody* body, const mjsDefault* def);

// Add a joint with the defaults of a class.
MJAPI mjsJoint* mjs_addJoint(mjsBody* body, const mjsDefault* def);

// Add a free joint to a body.
MJAPI mjsJoint* mjs_addFreeJoint(mjsBody* body);

// Add a geom with the defaults of a class.
MJAPI mjsGeom* mjs_addGeom(mjsBody* body, const mjsDefault* def);

// Add a camera with the defaults of a class.
MJAPI mjsCamera* mjs_addCamera(mjsBody* body, const mjsDefault* def);

// Add a light with the defaults of a class.
MJAPI mjsLight* mjs_addLight(mjsBody* body, const mjsDefault* def);

// Add a frame.
MJAPI mjsFrame* mjs_addFrame(mjsBody* body, mjsFrame* parentframe);

// Delete an element. 0: done, -1: failed.
MJAPI int mjs_delete(mjSpec* spec, mjsElement* element);

// Add an actuator with the defaults of a class.
MJAPI mjsActuator* mjs_addActuator(mjSpec* s, const mjsDefault* def);

// Add a sensor.
MJAPI mjsSensor* mjs_addSensor(mjSpec* s);

// Add a flex.
MJAPI mjsFlex* mjs_addFlex(mjSpec* s);

// Add a pair with the defaults of a class.
MJAPI mjsPair* mjs_addPair(mjSpec* s, const mjsDefault* def);

// Add an exclude.
MJAPI mjsExclude* mjs_addExclude(mjSpec* s);

// Add an equality with the defaults of a class.
MJAPI mjsEquality* mjs_addEquality(mjSpec* s, const mjsDefault* def);

// Add a tendon with the defaults of a class.
MJAPI mjsTendon* mjs_addTendon(mjSpec* s, const mjsDefault* def);

// Add a site to a tendon's path.
MJAPI mjsWrap* mjs_wrapSite(mjsTendon* tendon, const char* name);

// Add a geom, with its side site, to a tendon's path.
MJAPI mjsWrap* mjs_wrapGeom(mjsTendon* tendon, const char* name, const char* sidesite);

// Add a joint to a tendon's path.
MJAPI mjsWrap* mjs_wrapJoint(mjsTendon* tendon, const char* name, double coef);

// Add a pulley to a tendon's path.
MJAPI mjsWrap* mjs_wrapPulley(mjsTendon* tendon, double divisor);

// Add a numeric.
MJAPI mjsNumeric* mjs_addNumeric(mjSpec* s);

// Add a text.
MJAPI mjsText* mjs_addText(mjSpec* s);

// Add a tuple.
MJAPI mjsTuple* mjs_addTuple(mjSpec* s);

// Add a key.
MJAPI mjsKey* mjs_addKey(mjSpec* s);

// Add a plugin.
MJAPI mjsPlugin* mjs_addPlugin(mjSpec* s);

// Add a default.
MJAPI mjsDefault* mjs_addDefault(mjSpec* s, const char* classname, const mjsDefault* parent);

// Make an actuator a motor; returns NULL or what is wrong.
MJAPI const char* mjs_setToMotor(mjsActuator* actuator);

// Make an actuator a position servo; returns NULL or what is wrong.
MJAPI const char* mjs_setToPosition(mjsActuator* actuator, double kp, double kv[1],
                                    double dampratio[1], double timeconst[1], double inheritrange);

// Make an actuator an integrated velocity servo; returns NULL or what is wrong.
MJAPI const char* mjs_setToIntVelocity(mjsActuator* actuator, double kp, double kv[1],
                                       double dampratio[1], double timeconst[1], double inheritrange);

// Make an actuator a velocity servo; returns NULL or what is wrong.
MJAPI const char* mjs_setToVelocity(mjsActuator* actuator, double kv);

// Make an actuator an active damper; returns NULL or what is wrong.
MJAPI const char* mjs_setToDamper(mjsActuator* actuator, double kv);

// Make an actuator a cylinder; returns NULL or what is wrong.
MJAPI const char* mjs_setToCylinder(mjsActuator* actuator, double timeconst,
                                    double bias, double area, double diameter);

// Make an actuator a muscle; returns NULL or what is wrong.
MJAPI const char* mjs_setToMuscle(mjsActuator* actuator, double timeconst[2], double tausmooth,
                                  double range[2], double force, double scale, double lmin,
                                  double lmax, double vmax, double fpmax, double fvmax);

// Make an actuator an adhesion; returns NULL or what is wrong.
MJAPI const char* mjs_setToAdhesion(mjsActuator* actuator, double gain);

// Add a mesh with the defaults of a class.
MJAPI mjsMesh* mjs_addMesh(mjSpec* s, const mjsDefault* def);

// Add a height field.
MJAPI mjsHField* mjs_addHField(mjSpec* s);

// Add a skin.
MJAPI mjsSkin* mjs_addSkin(mjSpec* s);

// Add a texture.
MJAPI mjsTexture* mjs_addTexture(mjSpec* s);

// Add a material with the defaults of a class.
MJAPI mjsMaterial* mjs_addMaterial(mjSpec* s, const mjsDefault* def);

// Spec of an element.
MJAPI mjSpec* mjs_getSpec(mjsElement* element);

// Spec that was attached, by name; NULL: not there.
MJAPI mjSpec* mjs_findSpec(mjSpec* spec, const char* name);

// Body by name; NULL: not there.
MJAPI mjsBody* mjs_findBody(mjSpec* s, const char* name);

// Element by kind and name; NULL: not there.
MJAPI mjsElement* mjs_findElement(mjSpec* s, mjtObj type, const char* name);

// Body below a body by name; NULL: not there.
MJAPI mjsBody* mjs_findChild(mjsBody* body, const char* name);

// Body that an element is in.
MJAPI mjsBody* mjs_getParent(mjsElement* element);

// Frame that an element is in; NULL: none.
MJAPI mjsFrame* mjs_getFrame(mjsElement* element);

// Frame by name; NULL: not there.
MJAPI mjsFrame* mjs_findFrame(mjSpec* s, const char* name);

// Default class of an element.
MJAPI mjsDefault* mjs_getDefault(mjsElement* element);

// Default class by name; NULL: not there.
MJAPI mjsDefault* mjs_findDefault(mjSpec* s, const char* classname);

// Main default class.
MJAPI mjsDefault* mjs_getSpecDefault(mjSpec* s);

// Id of an element after compilation; -1: not compiled.
MJAPI int mjs_getId(mjsElement* element);

// First element of a kind in a body; NULL: none.
MJAPI mjsElement* mjs_firstChild(mjsBody* body, mjtObj type, int recurse);

// The next after it; NULL: none.
MJAPI mjsElement* mjs_nextChild(mjsBody* body, mjsElement* child, int recurse);

// First element of a kind; NULL: none.
MJAPI mjsElement* mjs_firstElement(mjSpec* s, mjtObj type);

// The next after it; NULL: none.
MJAPI mjsElement* mjs_nextElement(mjSpec* s, mjsElement* element);

// Name an element. 0: done, -1: the name is taken.
MJAPI int mjs_setName(mjsElement* element, const char* name);

// Copy bytes.
MJAPI void mjs_setBuffer(mjByteVec* dest, const void* array, int size);

// Copy text.
MJAPI void mjs_setString(mjString* dest, const char* text);

// Split text at white space and copy the words.
MJAPI void mjs_setStringVec(mjStringVec* dest, const char* text);

// Set one text of a list. 1: done, 0: not that long.
MJAPI mjtByte mjs_setInStringVec(mjStringVec* dest, int i, const char* text);

// Append a text to a list.
MJAPI void mjs_appendString(mjStringVec* dest, const char* text);

// Copy ints.
MJAPI void mjs_setInt(mjIntVec* dest, const int* array, int size);

// Append ints to a list of lists.
MJAPI void mjs_appendIntVec(mjIntVecVec* dest, const int* array, int size);

// Copy floats.
MJAPI void mjs_setFloat(mjFloatVec* dest, const float* array, int size);

// Append floats to a list of lists.
MJAPI void mjs_appendFloatVec(mjFloatVecVec* dest, const float* array, int size);

// Copy doubles.
MJAPI void mjs_setDouble(mjDoubleVec* dest, const double* array, int size);

// Set the settings of a plugin instance.
MJAPI void mjs_setPluginAttributes(mjsPlugin* plugin, void* attributes);

// Name of an element.
MJAPI mjString* mjs_getName(mjsElement* element);

// Text.
MJAPI const char* mjs_getString(const mjString* source);

// Doubles, and how many.
MJAPI const double* mjs_getDouble(const mjDoubleVec* source, int* size);

// Settings of a plugin instance.
MJAPI const void* mjs_getPluginAttributes(const mjsPlugin* plugin);

// Set the default class of an element.
MJAPI void mjs_setDefault(mjsElement* element, const mjsDefault* def);

// Put an element in a frame. 0: done, -1: failed.
MJAPI int mjs_setFrame(mjsElement* dest, mjsFrame* frame);

// Orientation given in another way to quaternion; returns NULL or what is wrong.
MJAPI const char* mjs_resolveOrientation(double quat[4], mjtByte degree, const char* sequence,
                                         const mjsOrientation* orientation);

// Turn a body without joints into a frame; the body is gone.
MJAPI mjsFrame* mjs_bodyToFrame(mjsBody** body);

// Keep a value of the user's with an element.
MJAPI void mjs_setUserValue(mjsElement* element, const char* key, const void* data);

// The same, with a function that frees it.
MJAPI void mjs_setUserValueWithCleanup(mjsElement* element, const char* key,
                                       const void* data,
                                       void (*cleanup)(const void*));

// Value of the user's; NULL: not there.
MJAPI const void* mjs_getUserValue(mjsElement* element, const char* key);

// Forget a value of the user's.
MJAPI void mjs_deleteUserValue(mjsElement* element, const char* key);

// Set a default spec.
MJAPI void mjs_defaultSpec(mjSpec* spec);

// Set a default orientation.
MJAPI void mjs_defaultOrientation(mjsOrientation* orient);

// Set a default body.
MJAPI void mjs_defaultBody(mjsBody* body);

// Set a default frame.
MJAPI void mjs_defaultFrame(mjsFrame* frame);

// Set a default joint.
MJAPI void mjs_defaultJoint(mjsJoint* joint);

// Set a default geom.
MJAPI void mjs_defaultGeom(mjsGeom* geom);

// Set a default site.
MJAPI void mjs_defaultSite(mjsSite* site);

// Set a default camera.
MJAPI void mjs_defaultCamera(mjsCamera* camera);

// Set a default light.
MJAPI void mjs_defaultLight(mjsLight* light);

// Set a default flex.
MJAPI void mjs_defaultFlex(mjsFlex* flex);

// Set a default mesh.
MJAPI void mjs_defaultMesh(mjsMesh* mesh);

// Set a default height field.
MJAPI void mjs_defaultHField(mjsHField* hfield);

// Set a default skin.
MJAPI void mjs_defaultSkin(mjsSkin* skin);

// Set a default texture.
MJAPI void mjs_defaultTexture(mjsTexture* texture);

// Set a default material.
MJAPI void mjs_defaultMaterial(mjsMaterial* material);

// Set a default pair.
MJAPI void mjs_defaultPair(mjsPair* pair);

// Set a default equality.
MJAPI void mjs_defaultEquality(mjsEquality* equality);

// Set a default tendon.
MJAPI void mjs_defaultTendon(mjsTendon* tendon);

// Set a default actuator.
MJAPI void mjs_defaultActuator(mjsActuator* actuator);

// Set a default sensor.
MJAPI void mjs_defaultSensor(mjsSensor* sensor);

// Set a default numeric.
MJAPI void mjs_defaultNumeric(mjsNumeric* numeric);

// Set a default text.
MJAPI void mjs_defaultText(mjsText* text);

// Set a default tuple.
MJAPI void mjs_defaultTuple(mjsTuple* tuple);

// Set a default key.
MJAPI void mjs_defaultKey(mjsKey* key);

// Set a default plugin.
MJAPI void mjs_defaultPlugin(mjsPlugin* plugin);

// An element as a body; NULL: it is something else.
MJAPI mjsBody* mjs_asBody(mjsElement* element);

// An element as a geom; NULL: it is something else.
MJAPI mjsGeom* mjs_asGeom(mjsElement* element);

// An element as a joint; NULL: it is something else.
MJAPI mjsJoint* mjs_asJoint(mjsElement* element);

// An element as a site; NULL: it is something else.
MJAPI mjsSite* mjs_asSite(mjsElement* element);

// An element as a camera; NULL: it is something else.
MJAPI mjsCamera* mjs_asCamera(mjsElement* element);

// An element as a light; NULL: it is something else.
MJAPI mjsLight* mjs_asLight(mjsElement* element);

// An element as a frame; NULL: it is something else.
MJAPI mjsFrame* mjs_asFrame(mjsElement* element);

// An element as an actuator; NULL: it is something else.
MJAPI mjsActuator* mjs_asActuator(mjsElement* element);

// An element as a sensor; NULL: it is something else.
MJAPI mjsSensor* mjs_asSensor(mjsElement* element);

// An element as a flex; NULL: it is something else.
MJAPI mjsFlex* mjs_asFlex(mjsElement* element);

// An element as a pair; NULL: it is something else.
MJAPI mjsPair* mjs_asPair(mjsElement* element);

// An element as an equality; NULL: it is something else.
MJAPI mjsEquality* mjs_asEquality(mjsElement* element);

// An element as an exclude; NULL: it is something else.
MJAPI mjsExclude* mjs_asExclude(mjsElement* element);

// An element as a tendon; NULL: it is something else.
MJAPI mjsTendon* mjs_asTendon(mjsElement* element);

// An element as a numeric; NULL: it is something else.
MJAPI mjsNumeric* mjs_asNumeric(mjsElement* element);

// An element as a text; NULL: it is something else.
MJAPI mjsText* mjs_asText(mjsElement* element);

// An element as a tuple; NULL: it is something else.
MJAPI mjsTuple* mjs_asTuple(mjsElement* element);

// An element as a key; NULL: it is something else.
MJAPI mjsKey* mjs_asKey(mjsElement* element);

// An element as a mesh; NULL: it is something else.
MJAPI mjsMesh* mjs_asMesh(mjsElement* element);

// An element as a height field; NULL: it is something else.
MJAPI mjsHField* mjs_asHField(mjsElement* element);

// An element as a skin; NULL: it is something else.
MJAPI mjsSkin* mjs_asSkin(mjsElement* element);

// An element as a texture; NULL: it is something else.
MJAPI mjsTexture* mjs_asTexture(mjsElement* element);

// An element as a material; NULL: it is something else.
MJAPI mjsMaterial* mjs_asMaterial(mjsElement* element);

// An element as a plugin; NULL: it is something else.
MJAPI mjsPlugin* mjs_asPlugin(mjsElement* element);

#ifdef __cplusplus
}
#endif

#endif
