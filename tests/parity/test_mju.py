"""Every documented mju_ function against the released library, to 1e-12, on random and degenerate
input. Both libraries get the same buffers; the whole buffers are compared afterwards."""

import ctypes
import glob
import os
import pathlib

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

ROOT = pathlib.Path(__file__).resolve().parents[2]
THEIRS = ctypes.CDLL(glob.glob(os.path.dirname(mujoco.__file__) + "/libmujoco.so.*")[0])
OURS = ctypes.CDLL(os.environ.get("SINEW_LIB", str(ROOT / "build/release/libsinew.so")))

num = ctypes.c_double
TOLERANCE = 1e-12


def call(lib, name, args, restype=None):
    """Call with copies of the array arguments; return the result and all arrays afterwards."""
    function = getattr(lib, name)
    function.restype = restype
    passed, arrays = [], []
    for a in args:
        if isinstance(a, np.ndarray):
            a = a.copy()
            arrays.append(a)
            passed.append(ctypes.c_void_p(a.ctypes.data))
        elif isinstance(a, float):
            passed.append(num(a))
        elif isinstance(a, bytes):
            passed.append(ctypes.c_char_p(a))
        elif a is None:
            passed.append(ctypes.c_void_p(None))
        else:
            passed.append(ctypes.c_int(int(a)))
    return function(*passed), arrays


def same(name, args, restype=None, tolerance=TOLERANCE):
    ours, our_arrays = call(OURS, name, args, restype)
    theirs, their_arrays = call(THEIRS, name, args, restype)
    where = f"{name}{args}"
    if restype is num:
        assert ours == pytest.approx(theirs, rel=tolerance, abs=tolerance, nan_ok=True), where
    else:
        assert ours == theirs or restype is None, f"{where}: {ours} != {theirs}"
    for a, b in zip(our_arrays, their_arrays):
        scale = max(1.0, float(np.max(np.abs(b[np.isfinite(b)]), initial=0))) if b.dtype.kind == "f" else 1
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale, err_msg=where)


rng = np.random.default_rng(1)


def vectors(n):
    """Random vectors, and the degenerate ones."""
    yield np.zeros(n)
    for i in range(n):
        yield np.eye(n)[i]
        yield -np.eye(n)[i]
    yield np.full(n, 1e-16)
    yield np.full(n, 1e-9)
    yield np.full(n, 1e8)
    for _ in range(30):
        yield rng.standard_normal(n)


def quats():
    for q in vectors(4):
        yield q
    for _ in range(30):
        q = rng.standard_normal(4)
        yield q / np.linalg.norm(q)
    for angle in (1e-17, 1e-9, 1e-4, np.pi - 1e-9, np.pi, np.pi + 1e-9, 2 * np.pi):
        axis = rng.standard_normal(3)
        yield np.r_[np.cos(angle / 2), np.sin(angle / 2) * axis / np.linalg.norm(axis)]


def pairs(first, second):
    a, b = list(first), list(second)
    for _ in range(200):
        yield a[rng.integers(len(a))], b[rng.integers(len(b))]


def test_vec3():
    for a, b in pairs(vectors(3), vectors(3)):
        r = rng.standard_normal(3)
        s = float(rng.standard_normal())
        same("mju_zero3", [r])
        same("mju_copy3", [r, a])
        same("mju_scl3", [r, a, s])
        for name in ("mju_add3", "mju_sub3", "mju_cross"):
            same(name, [r, a, b])
        same("mju_addTo3", [r, a])
        same("mju_subFrom3", [r, a])
        same("mju_addToScl3", [r, a, s])
        same("mju_addScl3", [r, a, b, s])
        same("mju_normalize3", [a], num)
        same("mju_norm3", [a], num)
        same("mju_dot3", [a, b], num)
        same("mju_dist3", [a, b], num)
        m = rng.standard_normal(9)
        same("mju_mulMatVec3", [r, m, a])
        same("mju_mulMatTVec3", [r, m, a])


def test_vec():
    for n in (0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 64):
        for _ in range(5):
            a, b, r = rng.standard_normal((3, max(n, 1)))
            s = float(rng.standard_normal())
            same("mju_zero", [r, n])
            same("mju_fill", [r, s, n])
            same("mju_copy", [r, a, n])
            same("mju_sum", [a, n], num)
            same("mju_L1", [a, n], num)
            same("mju_scl", [r, a, s, n])
            same("mju_add", [r, a, b, n])
            same("mju_sub", [r, a, b, n])
            same("mju_addTo", [r, a, n])
            same("mju_subFrom", [r, a, n])
            same("mju_addToScl", [r, a, s, n])
            same("mju_addScl", [r, a, b, s, n])
            same("mju_norm", [a, n], num)
            same("mju_dot", [a, b, n], num)
            if n:
                same("mju_normalize", [a, n], num)
                same("mju_normalize", [np.zeros(n), n], num)
            same("mju_f2n", [r, a.astype(np.float32), n])
            same("mju_n2f", [r.astype(np.float32), a, n])
            same("mju_d2n", [r, a, n])
            same("mju_n2d", [r, a, n])
            same("mju_isZero", [a, n], ctypes.c_int)
            same("mju_isZero", [np.zeros(max(n, 1)), n], ctypes.c_int)
            same("mju_insertionSort", [a, n])
            same("mju_insertionSortInt", [rng.integers(-9, 9, max(n, 1)).astype(np.int32), n])


def test_matrix():
    for nr, nc, nk in ((1, 1, 1), (2, 3, 4), (5, 4, 3), (7, 8, 9), (13, 6, 11), (0, 3, 2)):
        a = rng.standard_normal((nr, nc))
        b = rng.standard_normal((nc, nk))
        a[rng.random(a.shape) < 0.2] = 0
        v, w = rng.standard_normal(nc), rng.standard_normal(nr)
        same("mju_mulMatVec", [np.ones(max(nr, 1)), a, v, nr, nc])
        same("mju_mulMatTVec", [np.ones(nc), a, w, nr, nc])
        same("mju_transpose", [np.ones((nc, max(nr, 1))), a, nr, nc])
        same("mju_mulMatMat", [np.ones((max(nr, 1), nk)), a, b, nr, nc, nk])
        same("mju_mulMatMatT", [np.ones((max(nr, 1), nk)), a, rng.standard_normal((nk, nc)), nr, nc, nk])
        same("mju_mulMatTMat", [np.ones((nc, nk)), a, rng.standard_normal((nr, nk)), nr, nc, nk])
        same("mju_sqrMatTD", [np.ones((nc, nc)), a, rng.standard_normal(nr), nr, nc])
        same("mju_sqrMatTD", [np.ones((nc, nc)), a, None, nr, nc])
        same("mju_eye", [np.ones((nc, nc)), nc])
        q = rng.standard_normal((nc, nc))
        same("mju_symmetrize", [np.ones((nc, nc)), q, nc])
        same("mju_mulVecMatVec", [v, q, rng.standard_normal(nc), nc], num)


def test_spatial():
    for a, b in pairs(vectors(6), vectors(6)):
        rot = rng.standard_normal(9)
        for force in (0, 1):
            same("mju_transformSpatial", [np.ones(6), a, force, b[:3].copy(), b[3:].copy(), rot])
            same("mju_transformSpatial", [np.ones(6), a, force, b[:3].copy(), b[3:].copy(), None])


def test_sparse():
    for nr, nc in ((1, 1), (3, 4), (6, 9), (10, 5)):
        for density in (0, 0.3, 1):
            dense = rng.standard_normal((nr, nc)) * (rng.random((nr, nc)) < density)
            count = max(1, np.count_nonzero(dense))
            for room in (count, count + 3, max(1, count - 1)):
                args = [np.zeros(room), dense, nr, nc, np.zeros(nr, np.int32), np.zeros(nr, np.int32),
                        np.zeros(room, np.int32), room]
                same("mju_dense2sparse", args, ctypes.c_int)
            _, (value, _, rownnz, rowadr, colind) = call(
                OURS, "mju_dense2sparse", [np.zeros(count), dense, nr, nc, np.zeros(nr, np.int32),
                                           np.zeros(nr, np.int32), np.zeros(count, np.int32), count])
            same("mju_sparse2dense", [np.ones((nr, nc)), value, nr, nc, rownnz, rowadr, colind])


def test_quaternion():
    for q, v in pairs(quats(), vectors(3)):
        r3, r4 = np.ones(3), np.ones(4)
        same("mju_rotVecQuat", [r3, v, q])
        same("mju_negQuat", [r4, q])
        same("mju_mulQuatAxis", [r4, q, v])
        same("mju_axisAngle2Quat", [r4, v, float(rng.standard_normal())])
        same("mju_axisAngle2Quat", [r4, v, 0.0])
        same("mju_quat2Vel", [r3, q, float(rng.random() + 0.1)])
        same("mju_quat2Mat", [np.ones(9), q])
        same("mju_derivQuat", [r4, q, v])
        same("mju_quatIntegrate", [q, v, float(rng.standard_normal())])
        same("mju_quatZ2Vec", [r4, v])
        same("mju_zero4", [r4])
        same("mju_unit4", [r4])
        same("mju_copy4", [r4, q])
        same("mju_normalize4", [q], num)
        same("mju_trnVecPose", [r3, rng.standard_normal(3), q, v])
        same("mju_negPose", [r3, r4, v, q])
    for p, q in pairs(quats(), quats()):
        same("mju_mulQuat", [np.ones(4), p, q])
        same("mju_subQuat", [np.ones(3), p, q])
        a, b = rng.standard_normal((2, 3))
        same("mju_mulPose", [np.ones(3), np.ones(4), a, p, b, q])
    letters = "xyzXYZ"
    for _ in range(100):
        seq = "".join(letters[i] for i in rng.integers(6, size=3)).encode()
        same("mju_euler2Quat", [np.ones(4), rng.standard_normal(3) * 3, seq])


def test_mat2quat():
    for q in quats():
        if np.linalg.norm(q) < 1e-3:
            continue
        rot = np.zeros(9)
        mujoco.mju_quat2Mat(rot, q / np.linalg.norm(q))
        same("mju_mat2Quat", [np.ones(4), rot])


def test_mat2rot():
    for _ in range(200):
        q = rng.standard_normal(4)
        q /= np.linalg.norm(q)
        rot = np.zeros(9)
        mujoco.mju_quat2Mat(rot, q)
        mat = rot.reshape(3, 3) @ (np.eye(3) + 0.3 * rng.standard_normal((3, 3)))
        if np.linalg.det(mat) < 0.1:
            continue
        start = q + 0.1 * rng.standard_normal(4)
        start /= np.linalg.norm(start)
        # iterates of both converge linearly until the step is below 1e-9
        same("mju_mat2Rot", [start, mat.ravel()], ctypes.c_int, tolerance=1e-8)


def spd(n):
    a = rng.standard_normal((n, n))
    return a @ a.T + 0.1 * np.eye(n)


def test_cholesky():
    for n in (1, 2, 3, 5, 8, 13, 30):
        for _ in range(5):
            a = spd(n)
            same("mju_cholFactor", [a, n, 1e-10], ctypes.c_int, 1e-10)
            low = rng.standard_normal((n, max(1, n // 2)))
            same("mju_cholFactor", [low @ low.T, n, 1e-2], ctypes.c_int, 1e-7)
            factor = np.linalg.cholesky(a)
            v = rng.standard_normal(n)
            same("mju_cholSolve", [np.ones(n), factor, v, n], tolerance=1e-10)
            for plus in (0, 1):
                x = 0.05 * rng.standard_normal(n)
                same("mju_cholUpdate", [factor, x, n, plus], ctypes.c_int, 1e-10)
            same("mju_cholUpdate", [factor, np.zeros(n), n, 1], ctypes.c_int)


def test_band():
    for total, band, dense in ((1, 1, 0), (8, 3, 2), (5, 1, 5), (9, 4, 0), (12, 2, 3), (6, 6, 1)):
        full = spd(total)
        for i in range(total - dense):
            for j in range(total - dense):
                if abs(i - j) >= band:
                    full[i, j] = 0
        full += 3 * total * np.eye(total)
        size = band * (total - dense) + dense * total
        packed = rng.standard_normal(size)
        same("mju_dense2Band", [packed, full, total, band, dense])
        _, (packed, _) = call(OURS, "mju_dense2Band", [packed, full, total, band, dense])
        for symmetric in (0, 1):
            same("mju_band2Dense", [np.ones((total, total)), packed, total, band, dense, symmetric])
            vec = rng.standard_normal((3, total))
            same("mju_bandMulMatVec", [np.ones((3, total)), packed, vec, total, band, dense, 3, symmetric])
        for i in range(total):
            same("mju_bandDiag", [i, total, band, dense], ctypes.c_int)
        for add, mul in ((0.0, 0.0), (0.1, 0.2)):
            same("mju_cholFactorBand", [packed, total, band, dense, add, mul], num)
        _, (factor,) = call(OURS, "mju_cholFactorBand", [packed, total, band, dense, 0.0, 0.0], num)
        same("mju_cholSolveBand", [np.ones(total), factor, rng.standard_normal(total), total, band, dense])
        singular = packed.copy()
        singular[OURS.mju_bandDiag(total - 1, total, band, dense)] = -1
        ours, _ = call(OURS, "mju_cholFactorBand", [singular, total, band, dense, 0.0, 0.0], num)
        theirs, _ = call(THEIRS, "mju_cholFactorBand", [singular, total, band, dense, 0.0, 0.0], num)
        assert ours == theirs == 0


def symmetric_matrices():
    for values in ((0, 0, 0), (1, 1, 1), (1, 2, 3), (3, 2, 1), (2, 3, 1), (1, 1, 2), (2, 1, 1), (1e-9, 1, 1e6)):
        yield np.diag(np.array(values, float))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        m = np.diag([1.0, 2.0, 3.0])
        m[i, j] = m[j, i] = 0.5
        yield m
        yield -m
    for _ in range(300):
        m = rng.standard_normal((3, 3))
        yield m + m.T


def test_eig3():
    for m in symmetric_matrices():
        same("mju_eig3", [np.ones(3), np.ones(9), np.ones(4), m.ravel()], ctypes.c_int, 1e-11)


def test_boxqp():
    for n in (1, 2, 5, 10, 20):
        for _ in range(20):
            H, g = spd(n), rng.standard_normal(n) * 3
            lower, upper = -rng.random(n), rng.random(n)
            for lo, up in ((lower, upper), (None, upper), (lower, None), (None, None)):
                args = [np.zeros(n), np.zeros(n * (n + 7)), np.full(n, -1, np.int32), H, g, n, lo, up]
                ours, a = call(OURS, "mju_boxQP", args, ctypes.c_int)
                theirs, b = call(THEIRS, "mju_boxQP", args, ctypes.c_int)
                assert ours == theirs
                free = max(ours, 0)
                np.testing.assert_array_equal(a[2][:free], b[2][:free])
                np.testing.assert_allclose(a[0], b[0], rtol=1e-9, atol=1e-9)
                R, S = (np.tril(x[1][:free * free].reshape(free, free)) for x in (a, b))
                np.testing.assert_allclose(R, S, rtol=1e-9, atol=1e-9)


def test_boxqp_refuses_an_empty_box():
    args = [np.zeros(2), np.zeros(18), np.zeros(2, np.int32), np.eye(2), np.ones(2), 2, np.ones(2), -np.ones(2)]
    assert call(OURS, "mju_boxQP", args, ctypes.c_int)[0] == -1


def test_muscle():
    default = np.array([0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2])
    for _ in range(500):
        prm = default * (1 + 0.1 * rng.standard_normal(9))
        prm[2] = rng.choice([-1, 150])
        prm[4] = min(prm[4], 0.9)
        prm[8] = max(prm[8], 1.01)
        span = np.array([0.3, 0.8])
        length, velocity = float(rng.uniform(-0.2, 1.6)), float(rng.uniform(-3, 3))
        acc0 = float(rng.uniform(0, 3))
        same("mju_muscleGain", [length, velocity, span, acc0, prm], num)
        same("mju_muscleBias", [length, span, acc0, prm], num)
        for width in (0, 1e-20, 0.1, 0.5):
            dyn = np.array([0.01, 0.04, width])
            same("mju_muscleDynamics", [float(rng.uniform(-0.5, 1.5)), float(rng.uniform(-0.5, 1.5)), dyn], num)
    same("mju_muscleGain", [0.5, 0.0, np.zeros(2), 0.0, default], num)
    same("mju_muscleBias", [0.5, np.zeros(2), 0.0, default], num)


def test_pyramid():
    for dim in (1, 3, 4, 6):
        for _ in range(30):
            force, mu = rng.standard_normal(dim), rng.random(dim) + 0.1
            force[0] = abs(force[0])
            same("mju_encodePyramid", [np.ones(2 * dim), force, mu, dim])
            same("mju_decodePyramid", [np.ones(dim), rng.random(2 * dim), mu, dim])


def test_scalars():
    values = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, 0.4999999, 1e9, -1e9, 1e10, 1.0000001e10, np.inf, -np.inf,
              np.nan, 0.3, -7.7, 1.0, -1.0]
    for a in values:
        same("mju_isBad", [float(a)], ctypes.c_int)
        if not np.isnan(a):
            same("mju_sign", [float(a)], num)
            same("mju_sigmoid", [float(a)], num)
        if abs(a) < 2e9:
            same("mju_round", [float(a)], ctypes.c_int)
        for b in values:
            same("mju_min", [float(a), float(b)], num)
            same("mju_max", [float(a), float(b)], num)
    for _ in range(100):
        a, b, c, d = (float(x) for x in rng.standard_normal(4))
        same("mju_clip", [a, min(b, c), max(b, c)], num)
        same("mju_sigmoid", [float(rng.uniform(-0.2, 1.2))], num)
        for kp, kv in ((abs(c), abs(d)), (4.0, 0.0), (1.0, 2.0), (0.0, 0.0), (0.0, 3.0), (9.0, 30.0)):
            same("mju_springDamper", [a, b, float(kp), float(kv), float(rng.random())], num)
    for index in list(range(0, 50)) + [12345, 999999]:
        for base in (2, 3, 5, 7):
            same("mju_Halton", [index, base], num)


def test_names():
    for kind in range(-2, 130):
        same("mju_type2Str", [kind], ctypes.c_char_p)
        name = call(THEIRS, "mju_type2Str", [kind], ctypes.c_char_p)[0]
        if name is not None:
            same("mju_str2Type", [name], ctypes.c_int)
    for name in (b"", b"nothing", b"Body"):
        same("mju_str2Type", [name], ctypes.c_int)
    for lib in (OURS, THEIRS):
        lib.mju_writeNumBytes.argtypes = [ctypes.c_size_t]
        lib.mju_writeNumBytes.restype = ctypes.c_char_p
    for n in (0, 1, 1023, 1024, 1025, 10000, 3 << 20, (3 << 20) + 1, 5 << 30, 1 << 40, 1 << 50, 1 << 60):
        assert OURS.mju_writeNumBytes(n) == THEIRS.mju_writeNumBytes(n)
    for n in (0, 1, 4, 8):
        buffer = np.zeros(8, np.uint8)
        same("mju_strncpy", [buffer, b"hello", n])


def test_string_tables():
    tables = {
        "mjDISABLESTRING": int(mujoco.mjtDisableBit.mjNDISABLE),
        "mjENABLESTRING": int(mujoco.mjtEnableBit.mjNENABLE),
        "mjTIMERSTRING": int(mujoco.mjtTimer.mjNTIMER),
        "mjLABELSTRING": int(mujoco.mjtLabel.mjNLABEL),
        "mjFRAMESTRING": int(mujoco.mjtFrame.mjNFRAME),
        "mjVISSTRING": 3 * int(mujoco.mjtVisFlag.mjNVISFLAG),
        "mjRNDSTRING": 3 * int(mujoco.mjtRndFlag.mjNRNDFLAG),
    }
    for name, count in tables.items():
        kind = ctypes.c_char_p * count
        assert list(kind.in_dll(OURS, name)) == list(kind.in_dll(THEIRS, name))
