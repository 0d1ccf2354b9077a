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

// Take numbers that a program changed in a model back into the spec that it was compiled from. 1:
// done.
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

// Advance the simulation by one time step: mj_forward, then integration of velocity, position,
// activations and time.
MJAPI void mj_step(const mjModel* m, mjData* d);

// The first half of a step: everything that depends on position and velocity, so that a controller
// can read it and set ctrl. Not with RK4.
MJAPI void mj_step1(const mjModel* m, mjData* d);

// The second half of a step, from ctrl on: actuators, accelerations, constraint forces,
// integration.
MJAPI void mj_step2(const mjModel* m, mjData* d);

// Forward dynamics: everything that mj_step computes from qpos, qvel, act and ctrl, qacc included,
// and no integration.
MJAPI void mj_forward(const mjModel* m, mjData* d);

// Inverse dynamics: qfrc_inverse, the joint forces from outside that make the model move with qacc
// (N, N m).
MJAPI void mj_inverse(const mjModel* m, mjData* d);

// Forward dynamics from a stage on (mjtStage already done), with or without sensors.
MJAPI void mj_forwardSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor);

// Inverse dynamics from a stage on (mjtStage already done), with or without sensors.
MJAPI void mj_inverseSkip(const mjModel* m, mjData* d, int skipstage, int skipsensor);

// Fill opt with the settings that mj_setLengthRange takes when it is given none.
MJAPI void mj_defaultLROpt(mjLROpt* opt);

// Fill solref (0.02 s, 1) and solimp (0.9, 0.95, 0.001 m, 0.5, 2) with their defaults; either may
// be NULL.
MJAPI void mj_defaultSolRefImp(mjtNum* solref, mjtNum* solimp);

// Fill opt with the default settings of a simulation: 2 ms, gravity down, Euler, Newton.
MJAPI void mj_defaultOption(mjOption* opt);

// Fill vis with the default settings of pictures.
MJAPI void mj_defaultVisual(mjVisual* vis);

// Copy a model; make a new one if dest is NULL.
MJAPI mjModel* mj_copyModel(mjModel* dest, const mjModel* src);

// Save a model in binary form to a file, or to a buffer if there is no file name.
MJAPI void mj_saveModel(const mjModel* m, const char* filename, void* buffer, int buffer_sz);

// Load a model in binary form from a file or vfs. NULL: a warning said why.
MJAPI mjModel* mj_loadModel(const char* filename, const mjVFS* vfs);

// Free a model and its arrays; NULL is fine.
MJAPI void mj_deleteModel(mjModel* m);

// How many bytes mj_saveModel writes.
MJAPI int mj_sizeModel(const mjModel* m);

// Make the data of a model, in its reset state.
MJAPI mjData* mj_makeData(const mjModel* m);

// Copy data; make a new one if dest is NULL.
MJAPI mjData* mj_copyData(mjData* dest, const mjModel* m, const mjData* src);

// Copy data, leaving out what pictures don't need; make a new one if dest is NULL.
MJAPI mjData* mjv_copyData(mjData* dest, const mjModel* m, const mjData* src);

// Put data back to the start: qpos0, zero velocity, time 0, counters cleared.
MJAPI void mj_resetData(const mjModel* m, mjData* d);

// Put data back to the start, after every byte of its arrays was set to debug_value, so that reads
// of what nobody wrote show.
MJAPI void mj_resetDataDebug(const mjModel* m, mjData* d, unsigned char debug_value);

// Put data back to the start, then to the state of a keyframe of the model.
MJAPI void mj_resetDataKeyframe(const mjModel* m, mjData* d, int key);

// Begin a frame on the stack of d: what is allocated from now on is freed by the mj_freeStack that
// belongs to it.
MJAPI void mj_markStack(mjData* d);

// End the newest frame, freeing what it allocated.
MJAPI void mj_freeStack(mjData* d);

// Working memory of so many bytes at an alignment, until the frame ends.
MJAPI void* mj_stackAllocByte(mjData* d, size_t bytes, size_t alignment);

// Working memory for so many mjtNum, until the frame ends.
MJAPI mjtNum* mj_stackAllocNum(mjData* d, size_t size);

// Working memory for so many int, until the frame ends.
MJAPI int* mj_stackAllocInt(mjData* d, size_t size);

// Free data and its arrays; NULL is fine.
MJAPI void mj_deleteData(mjData* d);

// Set all global callbacks (mjcb_...) to NULL.
MJAPI void mj_resetCallbacks(void);

// Compute constants of the model from qpos0; for use after numbers were changed.
MJAPI void mj_setConst(mjModel* m, mjData* d);

// Compute the length range of an actuator. 1: done, 0: error says why.
MJAPI int mj_setLengthRange(mjModel* m, mjData* d, int index,
                            const mjLROpt* opt, char* error, int error_sz);

// Make a spec with nothing but the world and default settings.
MJAPI mjSpec* mj_makeSpec(void);

// Make a second spec with everything that the first one has. NULL: no memory.
MJAPI mjSpec* mj_copySpec(const mjSpec* s);

// Free a spec and its elements; NULL is fine.
MJAPI void mj_deleteSpec(mjSpec* s);

// Make a plugin usable in a spec. 0: done, -1: unknown.
MJAPI int mjs_activatePlugin(mjSpec* s, const char* name);

// Choose whether attaching copies deeply. 0: done.
MJAPI int mjs_setDeepCopy(mjSpec* s, int deepcopy);

// Write a model as text, numbers in a given format.
MJAPI void mj_printFormattedModel(const mjModel* m, const char* filename, const char* float_format);

// Write all sizes, options and arrays of a model as text.
MJAPI void mj_printModel(const mjModel* m, const char* filename);

// Write data as text, numbers in a given format.
MJAPI void mj_printFormattedData(const mjModel* m, const mjData* d, const char* filename,
                                 const char* float_format);

// Write the state and all results in data as text.
MJAPI void mj_printData(const mjModel* m, const mjData* d, const char* filename);

// Print a dense matrix of nr rows and nc columns to stdout.
MJAPI void mju_printMat(const mjtNum* mat, int nr, int nc);

// Print the entries of a matrix in compressed rows to stdout.
MJAPI void mju_printMatSparse(const mjtNum* mat, int nr,
                              const int* rownnz, const int* rowadr, const int* colind);

// Write the elements and attributes of MJCF. Returns how many characters.
MJAPI int mj_printSchema(const char* filename, char* buffer, int buffer_sz,
                         int flg_html, int flg_pad);

// The position stage: kinematics, inertias, M and its factor, contacts, constraint rows, lengths
// of tendons and actuators.
MJAPI void mj_fwdPosition(const mjModel* m, mjData* d);

// The velocity stage: velocities of tendons, actuators and bodies, passive forces, reference
// accelerations, bias forces.
MJAPI void mj_fwdVelocity(const mjModel* m, mjData* d);

// Forces of actuators: actuator_force, qfrc_actuator, and the rates of activations act_dot.
MJAPI void mj_fwdActuation(const mjModel* m, mjData* d);

// Sum of all smooth forces, and qacc_smooth, the acceleration without constraints.
MJAPI void mj_fwdAcceleration(const mjModel* m, mjData* d);

// Solve for the constraint forces: efc_force, qfrc_constraint and qacc.
MJAPI void mj_fwdConstraint(const mjModel* m, mjData* d);

// Integrate by semi-implicit Euler: velocity first, then position with the new velocity.
MJAPI void mj_Euler(const mjModel* m, mjData* d);

// Integrate by the Runge-Kutta method of order N; N is 4.
MJAPI void mj_RungeKutta(const mjModel* m, mjData* d, int N);

// Integrate velocity implicitly, with the derivatives of forces by velocity (implicit or
// implicitfast).
MJAPI void mj_implicit(const mjModel* m, mjData* d);

// The position stage of the inverse: as mj_fwdPosition, without what it does not need.
MJAPI void mj_invPosition(const mjModel* m, mjData* d);

// The velocity stage of the inverse: as mj_fwdVelocity.
MJAPI void mj_invVelocity(const mjModel* m, mjData* d);

// Constraint forces that go with qacc, in closed form and without iterations.
MJAPI void mj_invConstraint(const mjModel* m, mjData* d);

// Compare forward with inverse dynamics, into solver_fwdinv; the forward results stay.
MJAPI void mj_compareFwdInv(const mjModel* m, mjData* d);

// Readings of sensors that depend on position alone.
MJAPI void mj_sensorPos(const mjModel* m, mjData* d);

// Readings of sensors that need velocities.
MJAPI void mj_sensorVel(const mjModel* m, mjData* d);

// Readings of sensors that need accelerations and forces.
MJAPI void mj_sensorAcc(const mjModel* m, mjData* d);

// Potential energy of gravity and springs, into energy[0] (J).
MJAPI void mj_energyPos(const mjModel* m, mjData* d);

// Kinetic energy, into energy[1] (J).
MJAPI void mj_energyVel(const mjModel* m, mjData* d);

// Look for numbers in qpos that are not finite or too large: a warning, and a reset if that is on.
MJAPI void mj_checkPos(const mjModel* m, mjData* d);

// Look for numbers in qvel that are not finite or too large: a warning, and a reset if that is on.
MJAPI void mj_checkVel(const mjModel* m, mjData* d);

// Look for numbers in qacc that are not finite or too large: a warning, and a reset if that is on.
MJAPI void mj_checkAcc(const mjModel* m, mjData* d);

// Poses of bodies, joints, geoms and sites in the world, from qpos.
MJAPI void mj_kinematics(const mjModel* m, mjData* d);

// Centres of mass of subtrees, inertias (cinert) and motions of dofs (cdof) about them.
MJAPI void mj_comPos(const mjModel* m, mjData* d);

// Poses of cameras and lights in the world.
MJAPI void mj_camlight(const mjModel* m, mjData* d);

// Points, edge lengths and boxes of flexes in the world.
MJAPI void mj_flex(const mjModel* m, mjData* d);

// Paths, lengths and Jacobians of tendons.
MJAPI void mj_tendon(const mjModel* m, mjData* d);

// Lengths of actuators and their moments: how they change with each dof.
MJAPI void mj_transmission(const mjModel* m, mjData* d);

// The inertia matrix M by the method of composite bodies, without the armature of tendons.
MJAPI void mj_crb(const mjModel* m, mjData* d);

// The inertia matrix M, the armature of tendons included.
MJAPI void mj_makeM(const mjModel* m, mjData* d);

// The factors of the inertia matrix, M = L'DL along the tree.
MJAPI void mj_factorM(const mjModel* m, mjData* d);

// x = inv(M) y for n vectors.
MJAPI void mj_solveM(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y, int n);

// x = sqrt(inv(D)) inv(L') y for n vectors.
MJAPI void mj_solveM2(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y,
                      const mjtNum* sqrtInvD, int n);

// Velocities of bodies (cvel) and rates of the motions of dofs (cdof_dot).
MJAPI void mj_comVel(const mjModel* m, mjData* d);

// Forces of springs, dampers, gravity compensation and fluid, into qfrc_passive.
MJAPI void mj_passive(const mjModel* m, mjData* d);

// Velocity and angular momentum of subtrees, into subtree_linvel and subtree_angmom.
MJAPI void mj_subtreeVel(const mjModel* m, mjData* d);

// Recursive Newton-Euler: the bias force c(qpos, qvel), and M qacc added to it if flg_acc.
MJAPI void mj_rne(const mjModel* m, mjData* d, int flg_acc, mjtNum* result);

// Accelerations of bodies (cacc) and forces on them (cfrc_ext, cfrc_int), when all forces are
// known.
MJAPI void mj_rnePostConstraint(const mjModel* m, mjData* d);

// Find all contacts: broad phase, mid phase, narrow phase.
MJAPI void mj_collision(const mjModel* m, mjData* d);

// Make the rows of equalities, dry friction, limits and contacts: J, residuals, regularization.
MJAPI void mj_makeConstraint(const mjModel* m, mjData* d);

// Find the islands: groups of trees that constraint rows tie together.
MJAPI void mj_island(const mjModel* m, mjData* d);

// The inverse inertia in the space of constraint rows, A + R, for the dual solvers.
MJAPI void mj_projectConstraint(const mjModel* m, mjData* d);

// Velocities of constraint rows (efc_vel) and the accelerations that they aim at (efc_aref).
MJAPI void mj_referenceConstraint(const mjModel* m, mjData* d);

// Forces, states and cost of constraints from J qacc - aref; optionally cone Hessians.
MJAPI void mj_constraintUpdate(const mjModel* m, mjData* d, const mjtNum* jar,
                               mjtNum cost[1], int flg_coneHessian);

// How many numbers the given parts of the state have (bits of mjtState).
MJAPI int mj_stateSize(const mjModel* m, unsigned int spec);

// Copy the given parts of the state (bits of mjtState) to a vector.
MJAPI void mj_getState(const mjModel* m, const mjData* d, mjtNum* state, unsigned int spec);

// Copy a vector to the given parts of the state (bits of mjtState).
MJAPI void mj_setState(const mjModel* m, mjData* d, const mjtNum* state, unsigned int spec);

// Copy the state to a keyframe of the model.
MJAPI void mj_setKeyframe(mjModel* m, const mjData* d, int k);

// Add a contact. 0: done, 1: no memory.
MJAPI int mj_addContact(const mjModel* m, mjData* d, const mjContact* con);

// Are friction cones pyramids? 1 or 0.
MJAPI int mj_isPyramidal(const mjModel* m);

// Is the constraint Jacobian stored sparse? 1 or 0.
MJAPI int mj_isSparse(const mjModel* m);

// Does the chosen solver work on the dual problem? 1 or 0.
MJAPI int mj_isDual(const mjModel* m);

// res = J vec with the constraint Jacobian: nv numbers to nefc.
MJAPI void mj_mulJacVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec);

// res = J' vec with the constraint Jacobian: nefc numbers to nv.
MJAPI void mj_mulJacTVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec);

// Jacobian of a point that moves with a body (3 x nv each; either may be NULL).
MJAPI void mj_jac(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr,
                  const mjtNum point[3], int body);

// Jacobian of a body's frame: velocity of its origin (jacp) and angular velocity (jacr) per qvel,
// 3 x nv each.
MJAPI void mj_jacBody(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int body);

// Jacobian of a body's centre of mass (jacp) and of its turn (jacr), 3 x nv each.
MJAPI void mj_jacBodyCom(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int body);

// Jacobian of the centre of mass of a body and all below it, 3 x nv.
MJAPI void mj_jacSubtreeCom(const mjModel* m, mjData* d, mjtNum* jacp, int body);

// Jacobian of a geom's origin (jacp) and of its turn (jacr), 3 x nv each.
MJAPI void mj_jacGeom(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int geom);

// Jacobian of a site's origin (jacp) and of its turn (jacr), 3 x nv each.
MJAPI void mj_jacSite(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int site);

// Jacobian of a point and of an axis that move with a body, 3 x nv each.
MJAPI void mj_jacPointAxis(const mjModel* m, mjData* d, mjtNum* jacPoint, mjtNum* jacAxis,
                           const mjtNum point[3], const mjtNum axis[3], int body);

// Time derivative of the Jacobian of a point that moves with a body.
MJAPI void mj_jacDot(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr,
                     const mjtNum point[3], int body);

// Matrix that gives the angular momentum of a subtree about its centre of mass (3 x nv).
MJAPI void mj_angmomMat(const mjModel* m, mjData* d, mjtNum* mat, int body);

// The id of the object of this type (mjtObj) with this name; -1: there is none.
MJAPI int mj_name2id(const mjModel* m, int type, const char* name);

// The name of an object of this type (mjtObj); NULL: it has none.
MJAPI const char* mj_id2name(const mjModel* m, int type, int id);

// The inertia matrix as a dense nv x nv matrix, from qM.
MJAPI void mj_fullM(const mjModel* m, mjtNum* dst, const mjtNum* M);

// res = M vec, nv numbers.
MJAPI void mj_mulM(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec);

// res = sqrt(D) L vec, where M = L'DL: its length squared is vec' M vec.
MJAPI void mj_mulM2(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec);

// Add the inertia matrix to a dense matrix, or to one in compressed rows where indices are given.
MJAPI void mj_addM(const mjModel* m, mjData* d, mjtNum* dst, int* rownnz, int* rowadr, int* colind);

// Add to qfrc_target what a force (N) and torque (N m) at a point of a body are for the joints.
MJAPI void mj_applyFT(const mjModel* m, mjData* d, const mjtNum force[3], const mjtNum torque[3],
                      const mjtNum point[3], int body, mjtNum* qfrc_target);

// Velocity of an object: angular (rad/s), then of its origin (m/s), in the world's axes or its
// own.
MJAPI void mj_objectVelocity(const mjModel* m, const mjData* d,
                             int objtype, int objid, mjtNum res[6], int flg_local);

// Acceleration of an object: angular (rad/s^2), then of its origin (m/s^2), gravity included as in
// an accelerometer.
MJAPI void mj_objectAcceleration(const mjModel* m, const mjData* d,
                                 int objtype, int objid, mjtNum res[6], int flg_local);

// Smallest signed distance between two geoms, at most distmax (m), with the two nearest points in
// fromto if it is not NULL.
MJAPI mjtNum mj_geomDistance(const mjModel* m, const mjData* d, int geom1, int geom2,
                             mjtNum distmax, mjtNum fromto[6]);

// Force (N) and torque (N m) of a contact in its own frame: normal, two tangents each.
MJAPI void mj_contactForce(const mjModel* m, const mjData* d, int id, mjtNum result[6]);

// The velocity that leads from qpos1 to qpos2 in dt (s), quaternions included.
MJAPI void mj_differentiatePos(const mjModel* m, mjtNum* qvel, mjtNum dt,
                               const mjtNum* qpos1, const mjtNum* qpos2);

// Move qpos along qvel for dt (s), quaternions included.
MJAPI void mj_integratePos(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt);

// Scale the quaternions in qpos to length 1.
MJAPI void mj_normalizeQuat(const mjModel* m, mjtNum* qpos);

// The pose in the world of a pose that is given in a body's frame.
MJAPI void mj_local2Global(mjData* d, mjtNum xpos[3], mjtNum xmat[9], const mjtNum pos[3],
                           const mjtNum quat[4], int body, mjtByte sameframe);

// The mass of all bodies together (kg).
MJAPI mjtNum mj_getTotalmass(const mjModel* m);

// Scale masses and inertias of all bodies so that they have this mass together (kg).
MJAPI void mj_setTotalmass(mjModel* m, mjtNum newmass);

// Setting of a plugin instance; NULL: not known.
MJAPI const char* mj_getPluginConfig(const mjModel* m, int plugin_id, const char* attrib);

// Load a library, which registers its plugins.
MJAPI void mj_loadPluginLibrary(const char* path);

// Load all libraries of a folder, which register their plugins.
MJAPI void mj_loadAllPluginLibraries(const char* directory, mjfPluginLibraryLoadCallback callback);

// The version of the interface as a number: 334 is 3.3.4.
MJAPI int mj_version(void);

// The version of the interface as text.
MJAPI const char* mj_versionString(void);

// mj_ray for many rays from one point, in one call: ids and distances of what they meet.
MJAPI void mj_multiRay(const mjModel* m, mjData* d, const mjtNum pnt[3], const mjtNum* vec,
                       const mjtByte* geomgroup, mjtByte flg_static, int bodyexclude,
                       int* geomid, mjtNum* dist, int nray, mjtNum cutoff);

// Distance along vec, in lengths of vec, from pnt to the next geom; -1: none is met.
MJAPI mjtNum mj_ray(const mjModel* m, const mjData* d, const mjtNum pnt[3], const mjtNum vec[3],
                    const mjtByte* geomgroup, mjtByte flg_static, int bodyexclude,
                    int geomid[1]);

// Distance along vec, in lengths of vec, to a geom that is a height field; -1: it is not met.
MJAPI mjtNum mj_rayHfield(const mjModel* m, const mjData* d, int geomid,
                          const mjtNum pnt[3], const mjtNum vec[3]);

// Distance along vec, in lengths of vec, to a geom that is a mesh; -1: it is not met.
MJAPI mjtNum mj_rayMesh(const mjModel* m, const mjData* d, int geomid,
                        const mjtNum pnt[3], const mjtNum vec[3]);

// Distance along vec, in lengths of vec, to a shape at a pose; -1: it is not met.
MJAPI mjtNum mju_rayGeom(const mjtNum pos[3], const mjtNum mat[9], const mjtNum size[3],
                         const mjtNum pnt[3], const mjtNum vec[3], int geomtype);

// Distance along vec, in lengths of vec, to a flex as it is drawn, with its nearest point; -1: it
// is not met.
MJAPI mjtNum mju_rayFlex(const mjModel* m, const mjData* d, int flex_layer, mjtByte flg_vert,
                         mjtByte flg_edge, mjtByte flg_face, mjtByte flg_skin, int flexid,
                         const mjtNum* pnt, const mjtNum* vec, int vertid[1]);

// Distance along vec, in lengths of vec, to a skin, with its nearest vertex; -1: it is not met.
MJAPI mjtNum mju_raySkin(int nface, int nvert, const int* face, const float* vert,
                         const mjtNum pnt[3], const mjtNum vec[3], int vertid[1]);

// Fill cam with a free camera 2 m from the origin.
MJAPI void mjv_defaultCamera(mjvCamera* cam);

// Set a free camera that sees the whole model.
MJAPI void mjv_defaultFreeCamera(const mjModel* m, mjvCamera* cam);

// Fill pert with nothing selected.
MJAPI void mjv_defaultPerturb(mjvPerturb* pert);

// Pose in the room to pose in the model.
MJAPI void mjv_room2model(mjtNum modelpos[3], mjtNum modelquat[4], const mjtNum roompos[3],
                          const mjtNum roomquat[4], const mjvScene* scn);

// Pose in the model to pose in the room.
MJAPI void mjv_model2room(mjtNum roompos[3], mjtNum roomquat[4], const mjtNum modelpos[3],
                          const mjtNum modelquat[4], const mjvScene* scn);

// Where the scene's camera is, looks and has its up, in the coordinates of the model.
MJAPI void mjv_cameraInModel(mjtNum headpos[3], mjtNum forward[3], mjtNum up[3],
                             const mjvScene* scn);

// Where the scene's camera is, looks and has its up, in the coordinates of the room.
MJAPI void mjv_cameraInRoom(mjtNum headpos[3], mjtNum forward[3], mjtNum up[3],
                            const mjvScene* scn);

// Height of what the scene's camera sees at distance 1.
MJAPI mjtNum mjv_frustumHeight(const mjvScene* scn);

// Turn a vector of the horizontal plane to the camera's direction.
MJAPI void mjv_alignToCamera(mjtNum res[3], const mjtNum vec[3], const mjtNum forward[3]);

// Move a camera as the mouse moved, in shares of the window's height.
MJAPI void mjv_moveCamera(const mjModel* m, int action, mjtNum reldx, mjtNum reldy,
                          const mjvScene* scn, mjvCamera* cam);

// Move what the mouse pulls as the mouse moved, in shares of the window's height.
MJAPI void mjv_movePerturb(const mjModel* m, const mjData* d, int action, mjtNum reldx,
                           mjtNum reldy, const mjvScene* scn, mjvPerturb* pert);

// Move the model in the room as the mouse moved, in shares of the window's height.
MJAPI void mjv_moveModel(const mjModel* m, int action, mjtNum reldx, mjtNum reldy,
                         const mjtNum roomup[3], mjvScene* scn);

// Begin to pull or turn the selected body: its pose becomes the wanted one.
MJAPI void mjv_initPerturb(const mjModel* m, mjData* d, const mjvScene* scn, mjvPerturb* pert);

// Put the selected body where it is wanted, if it is a mocap body or the simulation is paused.
MJAPI void mjv_applyPerturbPose(const mjModel* m, mjData* d, const mjvPerturb* pert,
                                int flg_paused);

// Put the force of the mouse on the selected body, into xfrc_applied (N, N m).
MJAPI void mjv_applyPerturbForce(const mjModel* m, mjData* d, const mjvPerturb* pert);

// The camera in the middle of two, as between the eyes.
MJAPI mjvGLCamera mjv_averageCamera(const mjvGLCamera* cam1, const mjvGLCamera* cam2);

// Find what is under the mouse by a ray; the body, or -1.
MJAPI int mjv_select(const mjModel* m, const mjData* d, const mjvOption* vopt,
                     mjtNum aspectratio, mjtNum relx, mjtNum rely,
                     const mjvScene* scn, mjtNum selpnt[3],
                     int geomid[1], int flexid[1], int skinid[1]);

// Fill opt with what is shown by default.
MJAPI void mjv_defaultOption(mjvOption* opt);

// Fill fig with an empty figure of default colours.
MJAPI void mjv_defaultFigure(mjvFigure* fig);

// Set a scene geom; NULL arguments take defaults.
MJAPI void mjv_initGeom(mjvGeom* geom, int type, const mjtNum size[3],
                        const mjtNum pos[3], const mjtNum mat[9], const float rgba[4]);

// Set a scene geom that connects two points.
MJAPI void mjv_connector(mjvGeom* geom, int type, mjtNum width,
                         const mjtNum from[3], const mjtNum to[3]);

// Fill scn with an empty scene that owns no memory.
MJAPI void mjv_defaultScene(mjvScene* scn);

// Give a scene memory for maxgeom geoms, and for the flexes and skins of a model.
MJAPI void mjv_makeScene(const mjModel* m, mjvScene* scn, int maxgeom);

// Free the memory of a scene.
MJAPI void mjv_freeScene(mjvScene* scn);

// Fill the scene from model and data.
MJAPI void mjv_updateScene(const mjModel* m, mjData* d, const mjvOption* opt,
                           const mjvPerturb* pert, mjvCamera* cam, int catmask, mjvScene* scn);

// Copy a model, leaving out what pictures don't need.
MJAPI void mjv_copyModel(mjModel* dest, const mjModel* src);

// Add geoms of the given categories to the scene.
MJAPI void mjv_addGeoms(const mjModel* m, mjData* d, const mjvOption* opt,
                        const mjvPerturb* pert, int catmask, mjvScene* scn);

// Fill the lights of the scene from those of the model and the headlight.
MJAPI void mjv_makeLights(const mjModel* m, const mjData* d, mjvScene* scn);

// Fill the cameras of the scene from cam.
MJAPI void mjv_updateCamera(const mjModel* m, const mjData* d, mjvCamera* cam, mjvScene* scn);

// Fill the skins of the scene from the poses of their bones.
MJAPI void mjv_updateSkin(const mjModel* m, const mjData* d, mjvScene* scn);

// Fill con with an empty context that owns nothing.
MJAPI void mjr_defaultContext(mjrContext* con);

// Give a context what it needs to draw a model: textures, meshes, fonts and buffers.
MJAPI void mjr_makeContext(const mjModel* m, mjrContext* con, int fontscale);

// Take fonts of another size, in percent.
MJAPI void mjr_changeFont(int fontscale, mjrContext* con);

// Make the auxiliary buffer of this index, in pixels, with samples per pixel.
MJAPI void mjr_addAux(int index, int width, int height, int samples, mjrContext* con);

// Free what a context owns.
MJAPI void mjr_freeContext(mjrContext* con);

// Give the buffer for pictures off the screen another size (pixels).
MJAPI void mjr_resizeOffscreen(int width, int height, mjrContext* con);

// Take the pixels of a texture anew, after the model's were changed.
MJAPI void mjr_uploadTexture(const mjModel* m, const mjrContext* con, int texid);

// Take the vertices of a mesh anew, after the model's were changed.
MJAPI void mjr_uploadMesh(const mjModel* m, const mjrContext* con, int meshid);

// Take the heights of a height field anew, after the model's were changed.
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

// Draw into an auxiliary buffer from now on.
MJAPI void mjr_setAux(int index, const mjrContext* con);

// Copy from an auxiliary buffer to the current one.
MJAPI void mjr_blitAux(int index, mjrRect src, int left, int bottom, const mjrContext* con);

// Draw text at x and y, shares of the viewport, in a colour.
MJAPI void mjr_text(int font, const char* txt, const mjrContext* con,
                    float x, float y, float r, float g, float b);

// Draw one or two columns of text in a corner or at the edge of the viewport.
MJAPI void mjr_overlay(int font, int gridpos, mjrRect viewport,
                       const char* overlay, const char* overlay2, const mjrContext* con);

// The rectangle of the whole current buffer (pixels).
MJAPI mjrRect mjr_maxViewport(const mjrContext* con);

// Fill a rectangle with one colour.
MJAPI void mjr_rectangle(mjrRect viewport, float r, float g, float b, float a);

// Fill a rectangle with one colour and write text in its middle.
MJAPI void mjr_label(mjrRect viewport, int font, const char* txt,
                     float r, float g, float b, float a, float rt, float gt, float bt,
                     const mjrContext* con);

// Draw a figure with its lines, grid, titles and legend.
MJAPI void mjr_figure(mjrRect viewport, mjvFigure* fig, const mjrContext* con);

// Draw a scene into the viewport of the current buffer.
MJAPI void mjr_render(mjrRect viewport, mjvScene* scn, const mjrContext* con);

// Wait until drawing is done.
MJAPI void mjr_finish(void);

// The number of an error that drawing met; 0: none.
MJAPI int mjr_getError(void);

// Rectangle that contains a point; -1: none.
MJAPI int mjr_findRect(int x, int y, int nrect, const mjrRect* rect);

// One of the built-in sets of distances between items.
MJAPI mjuiThemeSpacing mjui_themeSpacing(int ind);

// One of the built-in sets of colours.
MJAPI mjuiThemeColor mjui_themeColor(int ind);

// Add sections and items to an interface, from a table that ends with mjITEM_END.
MJAPI void mjui_add(mjUI* ui, const mjuiDef* def);

// Add items to one section of an interface, from such a table.
MJAPI void mjui_addToSection(mjUI* ui, int sect, const mjuiDef* def);

// Work out the width and height of an interface.
MJAPI void mjui_resize(mjUI* ui, const mjrContext* con);

// Draw items again into the interface's buffer; -1: all.
MJAPI void mjui_update(int section, int item, const mjUI* ui,
                       const mjuiState* state, const mjrContext* con);

// Handle an event; the item that changed, or NULL.
MJAPI mjuiItem* mjui_event(mjUI* ui, mjuiState* state, const mjrContext* con);

// Copy an interface from its buffer to the current one.
MJAPI void mjui_render(mjUI* ui, const mjuiState* state, const mjrContext* con);

// Report misuse, which a program is not expected to survive.
MJAPI void mju_error(const char* msg, ...) mjPRINTFLIKE(1, 2);

// mju_error with one int for its format.
MJAPI void mju_error_i(const char* msg, int i);

// mju_error with one text for its format.
MJAPI void mju_error_s(const char* msg, const char* text);

// Report something doubtful, from which the program can go on.
MJAPI void mju_warning(const char* msg, ...) mjPRINTFLIKE(1, 2);

// mju_warning with one int for its format.
MJAPI void mju_warning_i(const char* msg, int i);

// mju_warning with one text for its format.
MJAPI void mju_warning_s(const char* msg, const char* text);

// Forget the user's error, warning and memory handlers.
MJAPI void mju_clearHandlers(void);

// Allocate memory aligned to 64 bytes.
MJAPI void* mju_malloc(size_t size);

// Free memory that mju_malloc gave.
MJAPI void mju_free(void* ptr);

// Count a warning of the simulation, and report the first of its kind.
MJAPI void mj_warning(mjData* d, int warning, int info);

// Append a line with the time to the log file.
MJAPI void mju_writeLog(const char* type, const char* msg);

// What the last compilation said was wrong; empty: nothing.
MJAPI const char* mjs_getError(mjSpec* s);

// Is that message only a warning, and is there a model? 1 or 0.
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

// Set three numbers to 0.
MJAPI void mju_zero3(mjtNum res[3]);

// Copy three numbers: res = data.
MJAPI void mju_copy3(mjtNum res[3], const mjtNum data[3]);

// A 3-vector times a number: res = scl vec.
MJAPI void mju_scl3(mjtNum res[3], const mjtNum vec[3], mjtNum scl);

// Sum of two 3-vectors: res = vec1 + vec2.
MJAPI void mju_add3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3]);

// Difference of two 3-vectors: res = vec1 - vec2.
MJAPI void mju_sub3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3]);

// Add a 3-vector in place: res += vec.
MJAPI void mju_addTo3(mjtNum res[3], const mjtNum vec[3]);

// Subtract a 3-vector in place: res -= vec.
MJAPI void mju_subFrom3(mjtNum res[3], const mjtNum vec[3]);

// Add a multiple of a 3-vector in place: res += scl vec.
MJAPI void mju_addToScl3(mjtNum res[3], const mjtNum vec[3], mjtNum scl);

// A 3-vector and a multiple of another: res = vec1 + scl vec2.
MJAPI void mju_addScl3(mjtNum res[3], const mjtNum vec1[3], const mjtNum vec2[3], mjtNum scl);

// Scale a 3-vector to length 1 and return the length that it had; one without length becomes (1,
// 0, 0).
MJAPI mjtNum mju_normalize3(mjtNum vec[3]);

// Length of a 3-vector.
MJAPI mjtNum mju_norm3(const mjtNum vec[3]);

// Dot product of two 3-vectors.
MJAPI mjtNum mju_dot3(const mjtNum vec1[3], const mjtNum vec2[3]);

// Distance of two points.
MJAPI mjtNum mju_dist3(const mjtNum pos1[3], const mjtNum pos2[3]);

// 3 x 3 matrix times vector: res = mat vec.
MJAPI void mju_mulMatVec3(mjtNum res[3], const mjtNum mat[9], const mjtNum vec[3]);

// Transposed 3 x 3 matrix times vector: res = mat' vec.
MJAPI void mju_mulMatTVec3(mjtNum res[3], const mjtNum mat[9], const mjtNum vec[3]);

// Cross product of two 3-vectors: res = a x b.
MJAPI void mju_cross(mjtNum res[3], const mjtNum a[3], const mjtNum b[3]);

// Set four numbers to 0.
MJAPI void mju_zero4(mjtNum res[4]);

// The quaternion of no rotation: res = (1, 0, 0, 0).
MJAPI void mju_unit4(mjtNum res[4]);

// Copy four numbers: res = data.
MJAPI void mju_copy4(mjtNum res[4], const mjtNum data[4]);

// Scale a quaternion to length 1 and return the length that it had; one without length becomes (1,
// 0, 0, 0).
MJAPI mjtNum mju_normalize4(mjtNum vec[4]);

// Set n numbers to 0.
MJAPI void mju_zero(mjtNum* res, int n);

// Set n numbers to val.
MJAPI void mju_fill(mjtNum* res, mjtNum val, int n);

// Copy n numbers: res = vec.
MJAPI void mju_copy(mjtNum* res, const mjtNum* vec, int n);

// Sum of n numbers.
MJAPI mjtNum mju_sum(const mjtNum* vec, int n);

// Sum of the magnitudes of n numbers.
MJAPI mjtNum mju_L1(const mjtNum* vec, int n);

// n numbers times a number: res = scl vec.
MJAPI void mju_scl(mjtNum* res, const mjtNum* vec, mjtNum scl, int n);

// Sum of two vectors of n numbers: res = vec1 + vec2.
MJAPI void mju_add(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, int n);

// Difference of two vectors of n numbers: res = vec1 - vec2.
MJAPI void mju_sub(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, int n);

// Add n numbers in place: res += vec.
MJAPI void mju_addTo(mjtNum* res, const mjtNum* vec, int n);

// Subtract n numbers in place: res -= vec.
MJAPI void mju_subFrom(mjtNum* res, const mjtNum* vec, int n);

// Add a multiple of n numbers in place: res += scl vec.
MJAPI void mju_addToScl(mjtNum* res, const mjtNum* vec, mjtNum scl, int n);

// A vector and a multiple of another, n numbers: res = vec1 + scl vec2.
MJAPI void mju_addScl(mjtNum* res, const mjtNum* vec1, const mjtNum* vec2, mjtNum scl, int n);

// Scale n numbers to length 1 and return the length that they had.
MJAPI mjtNum mju_normalize(mjtNum* res, int n);

// Length of a vector of n numbers.
MJAPI mjtNum mju_norm(const mjtNum* res, int n);

// Dot product of two vectors of n numbers.
MJAPI mjtNum mju_dot(const mjtNum* vec1, const mjtNum* vec2, int n);

// Matrix (nr x nc) times vector: res = mat vec.
MJAPI void mju_mulMatVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc);

// Transposed matrix (nr x nc) times vector: res = mat' vec.
MJAPI void mju_mulMatTVec(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int nr, int nc);

// The number vec1' mat vec2, with a matrix of n x n.
MJAPI mjtNum mju_mulVecMatVec(const mjtNum* vec1, const mjtNum* mat, const mjtNum* vec2, int n);

// Transpose a matrix (nr x nc): res = mat'.
MJAPI void mju_transpose(mjtNum* res, const mjtNum* mat, int nr, int nc);

// The symmetric part of a matrix (n x n): res = (mat + mat') / 2.
MJAPI void mju_symmetrize(mjtNum* res, const mjtNum* mat, int n);

// Set a matrix (n x n) to the identity.
MJAPI void mju_eye(mjtNum* mat, int n);

// Product of two matrices: res = mat1 mat2.
MJAPI void mju_mulMatMat(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2,
                         int r1, int c1, int c2);

// Product with a transposed matrix: res = mat1 mat2'.
MJAPI void mju_mulMatMatT(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2,
                          int r1, int c1, int r2);

// Product of a transposed matrix: res = mat1' mat2.
MJAPI void mju_mulMatTMat(mjtNum* res, const mjtNum* mat1, const mjtNum* mat2,
                          int r1, int c1, int c2);

// The matrix res = mat' diag mat, with the numbers of a diagonal or, if NULL, without.
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

// Turn a vector by a quaternion.
MJAPI void mju_rotVecQuat(mjtNum res[3], const mjtNum vec[3], const mjtNum quat[4]);

// Conjugate: the inverse rotation.
MJAPI void mju_negQuat(mjtNum res[4], const mjtNum quat[4]);

// Product: quat2 first, then quat1.
MJAPI void mju_mulQuat(mjtNum res[4], const mjtNum quat1[4], const mjtNum quat2[4]);

// Product of a quaternion and an axis taken as the quaternion (0, axis).
MJAPI void mju_mulQuatAxis(mjtNum res[4], const mjtNum quat[4], const mjtNum axis[3]);

// The quaternion of a turn about an axis (length 1) by an angle (rad).
MJAPI void mju_axisAngle2Quat(mjtNum res[4], const mjtNum axis[3], mjtNum angle);

// The angular velocity (rad/s) that makes a quaternion out of no rotation in dt (s).
MJAPI void mju_quat2Vel(mjtNum res[3], const mjtNum quat[4], mjtNum dt);

// Angular velocity that leads from qb to qa in unit time, in qb's frame.
MJAPI void mju_subQuat(mjtNum res[3], const mjtNum qa[4], const mjtNum qb[4]);

// The rotation matrix of a quaternion.
MJAPI void mju_quat2Mat(mjtNum res[9], const mjtNum quat[4]);

// The quaternion of a rotation matrix.
MJAPI void mju_mat2Quat(mjtNum quat[4], const mjtNum mat[9]);

// Rate of a quaternion (1/s) that turns with angular velocity vel (rad/s) in its own frame.
MJAPI void mju_derivQuat(mjtNum res[4], const mjtNum quat[4], const mjtNum vel[3]);

// Turn a quaternion with angular velocity vel (rad/s) in its own frame for a time (s).
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

// The inverse of a pose.
MJAPI void mju_negPose(mjtNum posres[3], mjtNum quatres[4],
                       const mjtNum pos[3], const mjtNum quat[4]);

// A point of a pose's frame in the frame around it.
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

// Where the diagonal element i stands in a band matrix with dense rows.
MJAPI int mju_bandDiag(int i, int ntotal, int nband, int ndense);

// Eigenvalues and vectors of a symmetric 3x3 matrix, in descending order. Returns the iterations.
MJAPI int mju_eig3(mjtNum eigval[3], mjtNum eigvec[9], mjtNum quat[4], const mjtNum mat[9]);

// Minimize x'Hx/2 + x'g with lower <= x <= upper. Returns the rank, -1: failed.
MJAPI int mju_boxQP(mjtNum* res, mjtNum* R, int* index, const mjtNum* H, const mjtNum* g, int n,
                    const mjtNum* lower, const mjtNum* upper);

// Allocate the arrays of mju_boxQP.
MJAPI void mju_boxQPmalloc(mjtNum** res, mjtNum** R, int** index, mjtNum** H, mjtNum** g, int n,
                           mjtNum** lower, mjtNum** upper);

// Active force of a muscle at activation 1 (N, negative: it pulls), from its length and velocity.
MJAPI mjtNum mju_muscleGain(mjtNum len, mjtNum vel, const mjtNum lengthrange[2],
                            mjtNum acc0, const mjtNum prm[9]);

// Passive force of a muscle (N, negative: it pulls), from its length.
MJAPI mjtNum mju_muscleBias(mjtNum len, const mjtNum lengthrange[2],
                            mjtNum acc0, const mjtNum prm[9]);

// Rate of a muscle's activation (1/s), from excitation and activation.
MJAPI mjtNum mju_muscleDynamics(mjtNum ctrl, mjtNum act, const mjtNum prm[3]);

// A contact force as forces along the edges of its pyramid.
MJAPI void mju_encodePyramid(mjtNum* pyramid, const mjtNum* force, const mjtNum* mu, int dim);

// Forces along the edges of a pyramid as a contact force.
MJAPI void mju_decodePyramid(mjtNum* force, const mjtNum* pyramid, const mjtNum* mu, int dim);

// Position of a spring and damper of mass 1 after dt (s), in closed form.
MJAPI mjtNum mju_springDamper(mjtNum pos0, mjtNum vel0, mjtNum Kp, mjtNum Kv, mjtNum dt);

// The lesser of two numbers.
MJAPI mjtNum mju_min(mjtNum a, mjtNum b);

// The greater of two numbers.
MJAPI mjtNum mju_max(mjtNum a, mjtNum b);

// x, held between min and max.
MJAPI mjtNum mju_clip(mjtNum x, mjtNum min, mjtNum max);

// Sign of a number: -1, 0 or 1.
MJAPI mjtNum mju_sign(mjtNum x);

// The nearest whole number.
MJAPI int mju_round(mjtNum x);

// The name of an mjtObj such as "body"; NULL: it has none.
MJAPI const char* mju_type2Str(int type);

// The mjtObj of a name such as "body".
MJAPI int mju_str2Type(const char* str);

// A number of bytes as people write it, such as 1.5M.
MJAPI const char* mju_writeNumBytes(size_t nbytes);

// What a warning (mjtWarning) says, with its number info.
MJAPI const char* mju_warningText(int warning, size_t info);

// Is a number not finite, or larger than mjMAXVAL? 1 or 0.
MJAPI int mju_isBad(mjtNum x);

// Are all n numbers 0? 1 or 0.
MJAPI int mju_isZero(mjtNum* vec, int n);

// A random number of the standard normal distribution; a second one in num2 if that is not NULL.
MJAPI mjtNum mju_standardNormal(mjtNum* num2);

// Convert n numbers from float to mjtNum.
MJAPI void mju_f2n(mjtNum* res, const float* vec, int n);

// Convert n numbers from mjtNum to float.
MJAPI void mju_n2f(float* res, const mjtNum* vec, int n);

// Convert n numbers from double to mjtNum.
MJAPI void mju_d2n(mjtNum* res, const double* vec, int n);

// Convert n numbers from mjtNum to double.
MJAPI void mju_n2d(double* res, const mjtNum* vec, int n);

// Sort n numbers, the least first.
MJAPI void mju_insertionSort(mjtNum* list, int n);

// Sort n ints, the least first.
MJAPI void mju_insertionSortInt(int* list, int n);

// Number of this index in the Halton sequence of a base, 0 to 1.
MJAPI mjtNum mju_Halton(int index, int base);

// Copy at most n-1 characters and close with zero.
MJAPI char* mju_strncpy(char *dst, const char *src, int n);

// A smooth step: 0 below 0, 1 above 1, between them 6 x^5 - 15 x^4 + 10 x^3.
MJAPI mjtNum mju_sigmoid(mjtNum x);

// The plugin that gives a geom its signed distance.
MJAPI const mjpPlugin* mjc_getSDF(const mjModel* m, int id);

// Signed distance of a pair of signed distance fields at a point (m).
MJAPI mjtNum mjc_distance(const mjModel* m, const mjData* d, const mjSDF* s, const mjtNum x[3]);

// Gradient of that distance at a point (length about 1).
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

// How the result of mju_subQuat changes with its two quaternions: 3 x 3 matrices, either may be
// NULL.
MJAPI void mjd_subQuat(const mjtNum qa[4], const mjtNum qb[4], mjtNum Da[9], mjtNum Db[9]);

// How the result of mju_quatIntegrate changes with the quaternion, the velocity and the time; each
// may be NULL.
MJAPI void mjd_quatIntegrate(const mjtNum vel[3], mjtNum scale,
                             mjtNum Dquat[9], mjtNum Dvel[9], mjtNum Dscale[3]);

// Fill plugin with an empty plugin.
MJAPI void mjp_defaultPlugin(mjpPlugin* plugin);

// Register a plugin. Returns its slot.
MJAPI int mjp_registerPlugin(const mjpPlugin* plugin);

// How many plugins are registered.
MJAPI int mjp_pluginCount(void);

// Plugin by name, with its slot; NULL: not registered.
MJAPI const mjpPlugin* mjp_getPlugin(const char* name, int* slot);

// Plugin by slot; NULL: none.
MJAPI const mjpPlugin* mjp_getPluginAtSlot(int slot);

// Fill provider with an empty provider of files.
MJAPI void mjp_defaultResourceProvider(mjpResourceProvider* provider);

// Register a provider. Returns its slot, from 1; -1: failed.
MJAPI int mjp_registerResourceProvider(const mjpResourceProvider* provider);

// How many providers of files are registered.
MJAPI int mjp_resourceProviderCount(void);

// Provider of a name's prefix; NULL: none.
MJAPI const mjpResourceProvider* mjp_getResourceProvider(const char* resource_name);

// Provider by slot; NULL: none.
MJAPI const mjpResourceProvider* mjp_getResourceProviderAtSlot(int slot);

// Make a pool of so many threads.
MJAPI mjThreadPool* mju_threadPoolCreate(size_t number_of_threads);

// Let the steps of d use a pool of threads; the results stay the same bits.
MJAPI void mju_bindThreadPool(mjData* d, void* thread_pool);

// Hand a task to a pool; mju_taskJoin waits for it.
MJAPI void mju_threadPoolEnqueue(mjThreadPool* thread_pool, mjTask* task);

// End a pool; nothing may be under way.
MJAPI void mju_threadPoolDestroy(mjThreadPool* thread_pool);

// Fill task with an empty task.
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

// Add a free joint to a body, and return it.
MJAPI mjsJoint* mjs_addFreeJoint(mjsBody* body);

// Add a geom with the defaults of a class.
MJAPI mjsGeom* mjs_addGeom(mjsBody* body, const mjsDefault* def);

// Add a camera with the defaults of a class.
MJAPI mjsCamera* mjs_addCamera(mjsBody* body, const mjsDefault* def);

// Add a light with the defaults of a class.
MJAPI mjsLight* mjs_addLight(mjsBody* body, const mjsDefault* def);

// Add a frame to a body, inside parentframe if that is not NULL.
MJAPI mjsFrame* mjs_addFrame(mjsBody* body, mjsFrame* parentframe);

// Delete an element. 0: done, -1: failed.
MJAPI int mjs_delete(mjSpec* spec, mjsElement* element);

// Add an actuator with the defaults of a class.
MJAPI mjsActuator* mjs_addActuator(mjSpec* s, const mjsDefault* def);

// Add a sensor to a spec, and return it.
MJAPI mjsSensor* mjs_addSensor(mjSpec* s);

// Add a flex to a spec, and return it.
MJAPI mjsFlex* mjs_addFlex(mjSpec* s);

// Add a pair with the defaults of a class.
MJAPI mjsPair* mjs_addPair(mjSpec* s, const mjsDefault* def);

// Add a pair of bodies that never collide to a spec, and return it.
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

// Add a custom list of numbers to a spec, and return it.
MJAPI mjsNumeric* mjs_addNumeric(mjSpec* s);

// Add a custom text to a spec, and return it.
MJAPI mjsText* mjs_addText(mjSpec* s);

// Add a custom list of objects to a spec, and return it.
MJAPI mjsTuple* mjs_addTuple(mjSpec* s);

// Add a keyframe to a spec, and return it.
MJAPI mjsKey* mjs_addKey(mjSpec* s);

// Add a plugin instance to a spec, and return it.
MJAPI mjsPlugin* mjs_addPlugin(mjSpec* s);

// Add a default class below parent (NULL: the main class), and return it; NULL: the name is taken.
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

// Add a height field to a spec, and return it.
MJAPI mjsHField* mjs_addHField(mjSpec* s);

// Add a skin to a spec, and return it.
MJAPI mjsSkin* mjs_addSkin(mjSpec* s);

// Add a texture to a spec, and return it.
MJAPI mjsTexture* mjs_addTexture(mjSpec* s);

// Add a material with the defaults of a class.
MJAPI mjsMaterial* mjs_addMaterial(mjSpec* s, const mjsDefault* def);

// The spec that an element belongs to.
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

// The main default class of a spec.
MJAPI mjsDefault* mjs_getSpecDefault(mjSpec* s);

// Id of an element after compilation; -1: not compiled.
MJAPI int mjs_getId(mjsElement* element);

// First element of a kind in a body; NULL: none.
MJAPI mjsElement* mjs_firstChild(mjsBody* body, mjtObj type, int recurse);

// The element of the same kind after child; NULL: it was the last.
MJAPI mjsElement* mjs_nextChild(mjsBody* body, mjsElement* child, int recurse);

// First element of a kind; NULL: none.
MJAPI mjsElement* mjs_firstElement(mjSpec* s, mjtObj type);

// The element of the same kind after element; NULL: it was the last.
MJAPI mjsElement* mjs_nextElement(mjSpec* s, mjsElement* element);

// Name an element. 0: done, -1: the name is taken.
MJAPI int mjs_setName(mjsElement* element, const char* name);

// Replace the contents of a list of bytes.
MJAPI void mjs_setBuffer(mjByteVec* dest, const void* array, int size);

// Replace a text of an element.
MJAPI void mjs_setString(mjString* dest, const char* text);

// Split text at white space and copy the words.
MJAPI void mjs_setStringVec(mjStringVec* dest, const char* text);

// Set one text of a list. 1: done, 0: not that long.
MJAPI mjtByte mjs_setInStringVec(mjStringVec* dest, int i, const char* text);

// Append a text to a list.
MJAPI void mjs_appendString(mjStringVec* dest, const char* text);

// Replace the contents of a list of ints.
MJAPI void mjs_setInt(mjIntVec* dest, const int* array, int size);

// Append ints to a list of lists.
MJAPI void mjs_appendIntVec(mjIntVecVec* dest, const int* array, int size);

// Replace the contents of a list of floats.
MJAPI void mjs_setFloat(mjFloatVec* dest, const float* array, int size);

// Append floats to a list of lists.
MJAPI void mjs_appendFloatVec(mjFloatVecVec* dest, const float* array, int size);

// Replace the contents of a list of doubles.
MJAPI void mjs_setDouble(mjDoubleVec* dest, const double* array, int size);

// Set the settings of a plugin instance.
MJAPI void mjs_setPluginAttributes(mjsPlugin* plugin, void* attributes);

// The name of an element, a text of the spec.
MJAPI mjString* mjs_getName(mjsElement* element);

// The characters of a text of an element.
MJAPI const char* mjs_getString(const mjString* source);

// The numbers of a list of doubles, and how many there are.
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

// Keep a value of the user's with an element, and a function that frees it.
MJAPI void mjs_setUserValueWithCleanup(mjsElement* element, const char* key,
                                       const void* data,
                                       void (*cleanup)(const void*));

// The value that was kept with an element under this key; NULL: there is none.
MJAPI const void* mjs_getUserValue(mjsElement* element, const char* key);

// Forget the value that was kept with an element under this key.
MJAPI void mjs_deleteUserValue(mjsElement* element, const char* key);

// Fill spec with the default settings of a spec.
MJAPI void mjs_defaultSpec(mjSpec* spec);

// Fill orient with no rotation, given as a quaternion.
MJAPI void mjs_defaultOrientation(mjsOrientation* orient);

// Fill body with what a body has before anything is said of it.
MJAPI void mjs_defaultBody(mjsBody* body);

// Fill frame with what a frame has before anything is said of it.
MJAPI void mjs_defaultFrame(mjsFrame* frame);

// Fill joint with what a joint has before anything is said of it.
MJAPI void mjs_defaultJoint(mjsJoint* joint);

// Fill geom with what a geom has before anything is said of it.
MJAPI void mjs_defaultGeom(mjsGeom* geom);

// Fill site with what a site has before anything is said of it.
MJAPI void mjs_defaultSite(mjsSite* site);

// Fill camera with what a camera has before anything is said of it.
MJAPI void mjs_defaultCamera(mjsCamera* camera);

// Fill light with what a light has before anything is said of it.
MJAPI void mjs_defaultLight(mjsLight* light);

// Fill flex with what a flex has before anything is said of it.
MJAPI void mjs_defaultFlex(mjsFlex* flex);

// Fill mesh with what a mesh has before anything is said of it.
MJAPI void mjs_defaultMesh(mjsMesh* mesh);

// Fill hfield with what a height field has before anything is said of it.
MJAPI void mjs_defaultHField(mjsHField* hfield);

// Fill skin with what a skin has before anything is said of it.
MJAPI void mjs_defaultSkin(mjsSkin* skin);

// Fill texture with what a texture has before anything is said of it.
MJAPI void mjs_defaultTexture(mjsTexture* texture);

// Fill material with what a material has before anything is said of it.
MJAPI void mjs_defaultMaterial(mjsMaterial* material);

// Fill pair with what a pair has before anything is said of it.
MJAPI void mjs_defaultPair(mjsPair* pair);

// Fill equality with what an equality has before anything is said of it.
MJAPI void mjs_defaultEquality(mjsEquality* equality);

// Fill tendon with what a tendon has before anything is said of it.
MJAPI void mjs_defaultTendon(mjsTendon* tendon);

// Fill actuator with what an actuator has before anything is said of it.
MJAPI void mjs_defaultActuator(mjsActuator* actuator);

// Fill sensor with what a sensor has before anything is said of it.
MJAPI void mjs_defaultSensor(mjsSensor* sensor);

// Fill numeric with what a custom list of numbers has before anything is said of it.
MJAPI void mjs_defaultNumeric(mjsNumeric* numeric);

// Fill text with what a custom text has before anything is said of it.
MJAPI void mjs_defaultText(mjsText* text);

// Fill tuple with what a custom list of objects has before anything is said of it.
MJAPI void mjs_defaultTuple(mjsTuple* tuple);

// Fill key with what a keyframe has before anything is said of it.
MJAPI void mjs_defaultKey(mjsKey* key);

// Fill plugin with what a plugin instance has before anything is said of it.
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
