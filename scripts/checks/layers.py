#!/usr/bin/env python3
"""A folder includes only what its row below allows. The map of the layers, and why, is lib/README.md.

Run without arguments; prints FILE:LINE: and what is wrong, and fails, for each include that is not allowed.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Headers that are not the standard library's, by what they belong to. The first match counts.
PACKAGES = {
    "fmt": r"fmt/",
    "libcrypto": r"openssl/(?!ssl\.h)",
    "libssl": r"openssl/ssl\.h",
    "isa-l": r"isa-l(/|\.h)",
    "intrinsics": r"(immintrin|cpuid|arm_neon)\.h",
    "pugixml": r"pugixml",
    "libcurl": r"curl/",
    "sqlite": r"sqlite3\.h",
    "nlohmann-json": r"nlohmann/",
    "toml++": r"toml\+\+/",
    "CLI11": r"CLI/",
    "doctest": r"doctest/",
    "posix": r"[a-z0-9_/]+\.h",
}

LAYERS = ("base", "wire", "policy", "port", "engine", "host")
ALLOWED = {
    "lib/base": {"base", "fmt", "libcrypto", "isa-l", "intrinsics"},
    "lib/wire": {"base", "wire", "fmt", "pugixml"},
    "lib/policy": {"base", "wire", "policy", "fmt"},
    "lib/port": {"base", "wire", "port", "fmt"},
    "lib/engine": {"base", "wire", "policy", "port", "engine", "fmt"},
    "lib/host": {"base", "wire", "port", "host", "fmt", "libcrypto", "libssl", "libcurl", "sqlite", "nlohmann-json",
                 "posix"},
    "cmd": {*LAYERS, "cmd", "fmt", "CLI11", "toml++", "nlohmann-json", "posix"},
    # The lab must not repeat a mistake of ours, so it shares no line with lib.
    "tests/lab": {"lab", "fmt", "libcrypto", "libssl", "CLI11", "doctest", "posix"},
    # The simulated world runs the core alone, as the core must be able to.
    "tests/support": {"base", "wire", "policy", "port", "engine", "support", "fmt"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')


def folder_rule(path):
    """The most exact row for a file, or None where everything may be included."""
    name = path.as_posix()
    rows = [row for row in ALLOWED if name.startswith(row + "/")]
    return max(rows, key=len, default=None)


def owner(header, quoted):
    """What a header belongs to: a folder of ours, a package, or None for the standard library."""
    if quoted:
        return header.split("/")[0] if "/" in header else "(no folder)"
    for package, pattern in PACKAGES.items():
        if re.match(pattern, header):
            return package
    return None


def complaints(path):
    row = folder_rule(path)
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        angle, quoted = found.groups()
        if quoted and path.parts[0] == "tests" and (ROOT / "tests" / quoted).exists():
            continue
        belongs = owner(angle or quoted, quoted is not None)
        if belongs == "(no folder)" or (quoted and ".." in quoted):
            yield f"{path}:{number}: \"{quoted}\": a header of ours is included with its folder, as in \"base/time.h\""
        elif row and belongs and belongs not in ALLOWED[row]:
            yield f"{path}:{number}: {angle or quoted}: {row} may not include what belongs to {belongs}"


def main():
    files = sorted(p.relative_to(ROOT) for top in ("lib", "cmd", "tests") for p in (ROOT / top).rglob("*")
                   if p.suffix in (".h", ".cpp"))
    wrong = [line for path in files for line in complaints(path)]
    print(*wrong, f"layers: {len(files)} files, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
