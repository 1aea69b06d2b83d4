#!/usr/bin/env python3
"""What the compiler does not check: calls that the pure core must not make, lengths, leftovers.

Run without arguments; prints FILE:LINE: and what is wrong, and fails, for each finding. The rules and their reasons:

- Only lib/host reads a clock, sleeps, draws randomness, or touches a socket, file or environment variable, so that the
  same engine runs in the simulator. cmd may touch files and the environment, but has no clock and no randomness either.
- A unit test that sleeps is a defect: time is virtual. Tests of the host have real processes and files, and may wait.
- A file is at most 500 lines, a function under 70.
- Nothing is left to do without the number of its issue, and nothing tells on which machine it was written.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"lib", "cmd", "tests", "man", "scripts", ".ci"}
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 69

SLEEPS = {
    "sleeping": r"\b(sleep|usleep|nanosleep|clock_nanosleep|sleep_for|sleep_until)\s*\(",
}
UNTIMELY = SLEEPS | {
    "reading a clock": r"\b(clock_gettime|gettimeofday|localtime(_r)?)\s*\(|_clock::now\b|(?<![\w.>])(std::|::)?time\s*\(\s*(nullptr|NULL|0|&)",
    "drawing randomness": r"\b(s?rand|s?random|drand48|getrandom|getentropy|RAND_bytes)\s*\(|\brandom_device\b",
}
WORLDLY = UNTIMELY | {
    "reading the environment": r"\b(secure_)?getenv\s*\(|\b(setenv|putenv)\s*\(|\benviron\b",
    "touching files": r"\b[io]?fstream\b|\bfilesystem::|\bfopen\s*\(|(?<!\w)::(open|openat|creat|unlink|rename|stat|mkdir)\s*\(",
    "touching sockets": r"(?<![\w>])::(socket|connect|bind|listen|accept|getaddrinfo)\s*\(",
    "starting threads": r"\bstd::(jthread|thread|async)\b",
}
# By folder; the first that fits counts.
BANNED = (
    ("lib/host/", {}),
    ("lib/", WORLDLY),
    ("cmd/", UNTIMELY),
    ("tests/unit/host/", {}),
    ("tests/unit/", SLEEPS),
    ("tests/support/", UNTIMELY),
    ("tests/sim/", UNTIMELY),
)

LEFTOVERS = (
    ("work left to do without the number of its issue", re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b(?!\(#\d+\))")),
    ("a path of somebody's machine", re.compile(r"(?<![\w.:/}*-])/(work|root|Users)/\w")),
    ("the address of a package registry", re.compile(r"\b(deb|pypi|npmjs|crates|maven|golang|registry)\.[a-z0-9.-]*(org|io|com)\b")),
    ("a section banner", re.compile(r"^\s*(//|#)\s*[-=*#/]{5,}")),
)
LEFTOVER_SUFFIXES = {".h", ".cpp", ".py", ".sh", ".txt", ".cmake", ".in", ".md", ".json", ".toml", ".conf", ".1", ""}


def blank_out(text):
    """The code with comments and literals replaced by blanks, lines kept."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\''
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def banned_calls(name, code):
    rules = next((rules for prefix, rules in BANNED if name.startswith(prefix)), {})
    for number, line in enumerate(code.splitlines(), 1):
        for what, pattern in rules.items():
            if re.search(pattern, line):
                yield number, f"{what} here"


SCOPE = re.compile(r"((inline\s+)?namespace|extern|TEST_SUITE|(template\s*<.*>\s*)?(class|struct|union|enum))\b", re.S)


def kind_of_brace(head):
    """What a brace opens outside of any function, by the text between the last statement and it. After a brace in the
    initialisers of a constructor nothing or a comma is left of that text."""
    head = re.sub(r"\boperator\s*\S+?(?=\()", "operator", head)
    head = re.sub(r"\[\[.*?\]\]", "", head).strip()
    if SCOPE.match(head):
        return "scope"
    outside = re.sub(r"\([^()]*\)", "()", re.sub(r"\([^()]*\)", "()", head))
    if "=" in re.sub(r"<[^<>]*>", "", outside):
        return "initialiser"
    return "function" if "(" in head or head in ("", ",") or head.startswith(",") else "initialiser"


def long_functions(code):
    stack, start, number, began = [], 0, 1, 0
    for at, char in enumerate(code):
        if char == "\n":
            number += 1
        elif char == "{":
            head = re.sub(r"^\s*#.*$", "", code[start:at], flags=re.M)
            head = re.sub(r"^\s*(public|private|protected)\s*:", "", head.strip())
            kind = kind_of_brace(head) if all(outer == "scope" for outer in stack) else "block"
            if kind == "function":
                began = number - head.strip().count("\n")
            stack.append(kind)
            start = at + 1
        elif char == "}":
            if stack and stack.pop() == "function" and number - began + 1 > MAX_FUNCTION_LINES:
                yield began, f"a function of {number - began + 1} lines"
            start = at + 1
        elif char == ";":
            start = at + 1


def leftovers(text):
    for number, line in enumerate(text.splitlines(), 1):
        for what, pattern in LEFTOVERS:
            if pattern.search(line):
                yield number, what


def findings(name, text):
    lines = text.count("\n")
    if lines > MAX_FILE_LINES and name.endswith((".h", ".cpp", ".py")):
        yield lines, f"a file of {lines} lines"
    if name.endswith((".h", ".cpp")):
        code = blank_out(text)
        yield from banned_calls(name, code)
        yield from long_functions(code)
    if Path(name).suffix in LEFTOVER_SUFFIXES:
        yield from leftovers(text)


def files():
    """The project's own: top-level files and the folders that the design names. No git: the clone may be another's."""
    for entry in ROOT.iterdir():
        if entry.is_file() and entry.name != ".git":
            yield entry
        elif entry.name in FOLDERS:
            yield from (p for p in entry.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


def main():
    names = sorted(p.relative_to(ROOT).as_posix() for p in files())
    wrong = 0
    for name in names:
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        for number, what in findings(name, text):
            print(f"{name}:{number}: {what}")
            wrong += 1
    print(f"house rules: {len(names)} files, {wrong} wrong")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
