// What a model asks for beyond the documented interface, by name. In MJCF
//   <custom><text name="sinew:friction" data="stick"/></custom>
// and in C, before the spec is compiled, sn_ask(spec, "friction", "stick"). Other engines read past
// it.
//
//   friction     soft, stick         stuck contacts hold their place instead of creeping
//   loops        soft, closed        equalities are closed to rounding after every step
//   sleep        off, on, speed      bodies at rest cost nothing (sinew/sleep.h)
//   report       off, on             a certificate of every step (sinew/certificate.h)
//   solver       soft, admm-ncp ...  hard contact (sinew/solver.h)
//   impact       newton, poisson ... its impact law
//   coordinates  minimal, maximal    a pose and a twist for every body (sinew/maximal.h)
//   stepping     euler, moreau, richardson   of hard contact; moreau of maximal coordinates alone
// docs/holding.md, docs/solvers.md and docs/maximal.md say more.
#ifndef SINEW_ASK_H_
#define SINEW_ASK_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

// Asks, or asks otherwise when the spec asks already. A name or a value that does not exist is
// refused when the spec is compiled. Returns 0 with mju_error when memory is short.
MJAPI int sn_ask(mjSpec* s, const char* name, const char* value);

#ifdef __cplusplus
}
#endif

#endif
