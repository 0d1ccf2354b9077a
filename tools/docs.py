#!/usr/bin/env python3
"""Checks that the pages speak of what is there.

Every path and every symbol that a page (any *.md of the tree) names must exist in the tree:
- a path begins with one of the tree's folders (src/, tests/, docs/, ...) or with a room of src/ and names a
  file; `*` is a wildcard;
- a symbol begins with mj_, mju_, mjv_, mjr_, mjs_, mjd_, mjp_, mjc_, mjcb_, mjui_, mjt, mjX, sn_, snX or SN_ and
  stands somewhere in the sources, headers or tests;
- a link [text](page.md) leads to a page that is there.
Prints what is missing and where it is named; exits 1 if anything is.
"""

import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = ("src", "include", "tests", "tools", "docs", "apps", "python", "bench", "cmake", "examples", "web")
PATH = re.compile(r"(?<![\w./-])((?:%s|%s)/[\w*./-]*[\w*])")
SYMBOL = re.compile(r"\b((?:mj[a-z]{0,2}|mjcb|mjui|sn|SN)_[A-Za-z]\w+|(?:mjt|mj|sn)[A-Z][A-Za-z]\w+)\b(?!\*)")
LINK = re.compile(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
                            cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if os.path.exists(os.path.join(ROOT, name))]


def words_of_the_tree():
    words = set()
    for name in tracked("src", "include", "apps", "python", "tests", "bench", "tools"):
        if name.endswith((".c", ".h", ".inc", ".py", ".pyi", ".txt", ".xml")):
            with open(os.path.join(ROOT, name), errors="replace") as file:
                words.update(re.findall(r"\b(?:mj|sn|SN)\w+", file.read()))
    return words


def exists(path):
    place = path if path.split("/")[0] in TOP else "src/" + path
    return bool(glob.glob(os.path.join(ROOT, place)))


def main():
    rooms = sorted(entry for entry in os.listdir(os.path.join(ROOT, "src"))
                   if os.path.isdir(os.path.join(ROOT, "src", entry)))
    path = re.compile(PATH.pattern % ("|".join(TOP), "|".join(rooms)))
    words = words_of_the_tree()
    missing = []
    pages = tracked("*.md")
    for page in pages:
        with open(os.path.join(ROOT, page)) as file:
            for number, line in enumerate(file, 1):
                for quoted in re.findall(r"`([^`]+)`|(\S+/\S+\.[ch])\b", line):
                    text = quoted[0] or quoted[1]
                    for found in path.findall(text):
                        if "." in found.rsplit("/", 1)[1] and not exists(found):
                            missing.append(f"{page}:{number}: no such file: {found}")
                    for found in SYMBOL.findall(text):
                        if found not in words and not any(word.startswith(found) for word in words):
                            missing.append(f"{page}:{number}: no such symbol: {found}")
                for link in LINK.findall(line):
                    if not os.path.exists(os.path.join(ROOT, os.path.dirname(page), link)):
                        missing.append(f"{page}:{number}: no such page: {link}")
    print("\n".join(missing) if missing else f"{len(pages)} pages name nothing that is not there")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
