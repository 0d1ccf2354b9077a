"""Every block of Python in the pages runs, from top to bottom of its page, and so does every example."""

import os
import pathlib
import re
import runpy

import pytest

ROOT = pathlib.Path(os.environ.get("SINEW_SOURCE", "."))
PAGES = sorted(path for path in [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"] if path.exists() and "```python" in path.read_text())
LONGER = {"swing_up", "stand_up", "identify_arm"}  # test_examples.py
EXAMPLES = sorted(path for path in ROOT.glob("examples/python/*.py") if path.stem not in LONGER)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
PRINTS = re.compile(r"\s*It prints:\n\n((?:    .*\n)+)")
MOST_LINES = 80

pytestmark = pytest.mark.skipif(not EXAMPLES, reason="the pages are not here: SINEW_SOURCE names the folder of the sources")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_blocks(page, tmp_path, monkeypatch, capsys):
    """A block that begins with `# not run: why` is for reading alone; what stands behind `It prints:` is what it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot.xml").write_text('<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody></mujoco>')
    text, names = page.read_text(), {"__name__": "page"}
    ran = 0
    for match in BLOCK.finditer(text):
        if match[1].startswith("# not run: "):
            continue
        line = text[: match.start()].count("\n") + 1
        capsys.readouterr()
        exec(compile("\n" * line + match[1], str(page), "exec"), names)  # errors name the line of the page
        prints = PRINTS.match(text, match.end())
        if prints:
            assert capsys.readouterr().out == re.sub(r"^    ", "", prints[1], flags=re.M)
        ran += 1
    assert ran or "# not run: " in text


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples(example, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out, "an example says what it found"
    assert len(example.read_text().splitlines()) <= MOST_LINES
