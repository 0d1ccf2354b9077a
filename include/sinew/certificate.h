// A certificate of every step: how well the problem was solved, how far constraints are from
// closed, and where energy went. docs/holding.md has the formulas.
//
//   sn_certify(m, d, 1);
//   mj_step(m, d);
//   snCertificate c;
//   if (sn_getCertificate(m, d, &c)) printf("%g m deep\n", c.penetration);
//
// A model asks for it by <custom><text name="sinew:report" data="on"/></custom>. mjData keeps the
// bits that it has without.
#ifndef SINEW_CERTIFICATE_H_
#define SINEW_CERTIFICATE_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a step came to. Ids are -1 where there is nothing to name.
typedef struct snCertificate_ {
  mjtNum time;  // at the beginning of the step

  // the solve
  mjtNum residual;  // largest |M qacc - qfrc_smooth - J'f| of a dof; hard contact: natural map
  mjtNum gap;       // primal cost of qacc minus dual cost of f, at least 0; hard: complementarity
  mjtNum cost;      // primal cost of qacc (0 with hard contact)
  int iterations;   // of the island that needed most
  int residual_joint;  // joint of that dof

  // positions at the beginning of the step
  mjtNum penetration;                        // deepest contact, m; 0: none
  int penetration_geom1, penetration_geom2;  // -1: none, or a flex
  mjtNum loop;                               // largest residual of an active equality, m or rad
  int loop_equality;                         // the equality
  mjtNum limit;                              // farthest that a joint is beyond a limit, m or rad
  int limit_joint;                           // the joint

  // energy, J. kinetic and potential (gravity, springs) behind the step; `stored` is by how much
  // their sum has grown. The works are what added to it:
  //   stored = actuators + applied + passive + contacts + limits + friction + equalities
  //            + projection + integrator + closure
  mjtNum kinetic, potential, stored;
  mjtNum actuators;   // qfrc_actuator
  mjtNum applied;     // qfrc_applied and xfrc_applied
  mjtNum passive;     // dampers, fluids, gravity compensation, callbacks
  mjtNum contacts;    // contact forces
  mjtNum limits;      // of joints and tendons
  mjtNum friction;    // frictionloss of joints and tendons
  mjtNum equalities;  // soft equalities
  mjtNum projection;  // velocities changed behind the integrator: impacts, loops that close
  mjtNum integrator;  // what the integrator itself gained or lost
  mjtNum dissipated;  // minus the sum of those works but actuators and applied that are negative
  mjtNum closure;     // what is left over: rounding, and the residual of the solve

  // memory and warnings
  mjtNum arena;        // bytes in use at most so far (maxuse_arena)
  mjtNum arena_grown;  // by how many bytes narena has grown since the last certificate
  int warnings;        // warnings raised since the last certificate, with those of warning.h
} snCertificate;

// Certificates for this data from the next step on, or (0) none; over what the model says. Returns
// 0 with mju_error when memory is short.
MJAPI int sn_certify(const mjModel* m, mjData* d, int on);

// The certificate of the last step. 0 when there is none: nobody asked, no step was taken yet, or
// the model steps in maximal coordinates.
MJAPI int sn_getCertificate(const mjModel* m, const mjData* d, snCertificate* certificate);

// Numbers of a certificate in their order, by name, as in tables; NULL behind the last.
MJAPI const char* sn_certificateName(int i);
MJAPI mjtNum sn_certificateValue(const snCertificate* certificate, int i);

// The kind of object that a number is the id of (mjOBJ_GEOM, mjOBJ_JOINT, mjOBJ_EQUALITY), or
// mjOBJ_UNKNOWN.
MJAPI int sn_certificateObject(int i);

#ifdef __cplusplus
}
#endif

#endif
