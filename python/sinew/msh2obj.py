"""Meshes of the old binary MSH format as OBJ text: python -m sinew.msh2obj mesh.msh > mesh.obj"""

import dataclasses
import pathlib
import sys
from typing import Any, Union

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class Msh:
    """The arrays of a file. Normals and texture coordinates belong to vertices, or there are none."""

    vertex_positions: Array
    vertex_normals: Array
    vertex_texcoords: Array
    face_vertex_indices: Array

    @staticmethod
    def create(file: Union[str, pathlib.Path]) -> "Msh":
        """Read a file: four counts, then positions, normals, texture coordinates and faces."""
        content = pathlib.Path(file).read_bytes()
        counts = np.frombuffer(content[:16], "<i4")
        if len(counts) != 4 or np.any(counts < 0):
            raise ValueError(f"{file}: a mesh begins with four counts")
        widths, types = (3, 3, 2, 3), ("<f4", "<f4", "<f4", "<i4")
        expected = 16 + 4 * sum(int(n) * width for n, width in zip(counts, widths))
        if len(content) != expected:
            raise ValueError(f"{file}: expected {expected} bytes for counts {counts.tolist()}, found {len(content)}")
        arrays, at = [], 16
        for n, width, kind in zip(counts, widths, types):
            arrays.append(np.frombuffer(content, kind, int(n) * width, at).reshape(-1, width))
            at += 4 * int(n) * width
        return Msh(*arrays)


def msh_to_obj(msh_file: Union[str, pathlib.Path]) -> str:
    """The mesh as OBJ text."""
    mesh = Msh.create(msh_file)
    lines = ["v {:.9g} {:.9g} {:.9g}".format(*v) for v in mesh.vertex_positions]
    lines += ["vn {:.9g} {:.9g} {:.9g}".format(*v) for v in mesh.vertex_normals]
    # v runs up in OBJ and down in MSH
    lines += ["vt {:.9g} {:.9g}".format(u, 1 - v) for u, v in mesh.vertex_texcoords]
    texture, normal = len(mesh.vertex_texcoords) > 0, len(mesh.vertex_normals) > 0

    def corner(i: int) -> str:
        return f"{i}/{i if texture else ''}/{i}" if normal else f"{i}/{i}" if texture else f"{i}"

    lines += ["f " + " ".join(corner(int(i) + 1) for i in face) for face in mesh.face_vertex_indices]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(msh_to_obj(sys.argv[1]), end="")
