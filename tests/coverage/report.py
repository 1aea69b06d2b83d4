#!/usr/bin/env python3
"""What the tests reach of a folder of the sources, and by name what they do not.

Reads what programs built with clang's source-based coverage (preset `coverage`) have left as profiles. A line counts as
reached when all code on it ran at least once: of `if (late) return give_up();` in one line both parts. So the shares
are lower than those of llvm-cov, for which a line is reached when any of it was.
"""
import argparse
import collections
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What is no code by itself: the brace at the end of a block, say.
NO_CODE = re.compile(r"[\s{}();,]*(//.*)?")


def merged(tools, profiles, target):
    """One profile of many."""
    subprocess.run([tools["llvm-profdata"], "merge", "-sparse", "-o", target, *sorted(profiles)], check=True)
    return target


def exported(tools, programs, profile, folders):
    """The segments of each file below the folders, as llvm-cov gives them: where the count of runs changes."""
    command = [tools["llvm-cov"], "export", "-format=text", "-skip-expansions", "-skip-functions",
               f"-instr-profile={profile}"]
    command += [word for program in programs[1:] for word in ("-object", program)]
    command.append(programs[0])
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    out = {}
    for file in json.loads(done.stdout)["data"][0]["files"]:
        # A compiler cache may have made the name one that begins in the build folder.
        path = (ROOT / file["filename"]).resolve()
        if any(path.is_relative_to(ROOT / folder) for folder in folders):
            out[path.relative_to(ROOT).as_posix()] = file["segments"]
    return out


def pieces(segments, lines):
    """(line, columns, count) of each piece of code of a file, cut at line ends."""
    ends = [(s[0], s[1]) for s in segments[1:]] + [(len(lines) + 1, 1)]
    for (line, column, count, counted, _, gap), (end_line, end_column) in zip(segments, ends):
        if not counted or gap:
            continue
        for number in range(line, min(end_line, len(lines)) + 1):
            first = column - 1 if number == line else 0
            last = end_column - 1 if number == end_line else len(lines[number - 1])
            if not NO_CODE.fullmatch(lines[number - 1][first:last]):
                yield number, (first, last), count


def unreached(segments, lines):
    """The numbers of all lines with code, and of those with a piece that never ran, with its columns."""
    code, missed = set(), collections.defaultdict(list)
    for number, columns, count in pieces(segments, lines):
        code.add(number)
        if count == 0:
            missed[number].append(columns)
    return code, missed


def ranges(numbers):
    """Consecutive numbers as pairs of first and last."""
    out = []
    for number in sorted(numbers):
        if out and out[-1][1] == number - 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return out


def name_lines(name, lines, missed):
    """Where, and the text; a part of a line is marked below."""
    for first, last in ranges(missed):
        print(f"{name}:{first}" + (f"-{last}" if last > first else ""))
        for number in range(first, last + 1):
            text = lines[number - 1]
            print(f"    {number:4} {text}")
            marks = "".join("^" if any(a <= at < b for a, b in missed[number]) else " " for at in range(len(text)))
            if not NO_CODE.fullmatch("".join(c for c, mark in zip(text, marks) if mark == " ")):
                print(f"         {marks.rstrip()}")


def share(reached, all_lines):
    return f"{100 * reached / all_lines:5.1f} %" if all_lines else "      -"


def report(by_unit, by_all, folders):
    named = sorted(p.relative_to(ROOT).as_posix() for folder in folders for p in (ROOT / folder).rglob("*.cpp"))
    sums = collections.defaultdict(lambda: [0, 0, 0])
    rows, texts = [], []
    for name in sorted({*by_all, *named}):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        if name not in by_all:
            rows.append(f"{'':26}  {name}: no code of it is in any program")
            continue
        code, missed = unreached(by_all[name], lines)
        if not code:
            continue
        unit_missed = unreached(by_unit[name], lines)[1] if name in by_unit else code
        counts = (len(code), len(code) - len(unit_missed), len(code) - len(missed))
        for key in (name.rsplit("/", 1)[0], "all"):
            sums[key] = [a + b for a, b in zip(sums[key], counts)]
        rows.append(f"{share(counts[1], counts[0])} {share(counts[2], counts[0])} {counts[0]:8}  {name}")
        texts.append((name, lines, missed))
    print("unit tests     all    lines  file")
    print("\n".join("   " + row for row in rows))
    print("\nWhat no test reaches:\n")
    for text in texts:
        name_lines(*text)
    print("\nunit tests     all    lines  not reached")
    for key, (lines, unit, reached) in sums.items():
        print(f"   {share(unit, lines)} {share(reached, lines)} {lines:8} {lines - reached:12}  {key}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", type=Path, required=True, help="the folder of NAME.profraw, one of each program")
    parser.add_argument("--llvm-profdata", required=True)
    parser.add_argument("--llvm-cov", required=True)
    parser.add_argument("--folder", action="append", required=True, help="of the sources, as lib/policy")
    parser.add_argument("program", nargs="+", help="the programs that left the profiles")
    given = parser.parse_args()
    tools = {"llvm-profdata": given.llvm_profdata, "llvm-cov": given.llvm_cov}
    every = list(given.profiles.glob("*.profraw"))
    unit = [p for p in every if p.name.startswith("unit_")]
    if not unit:
        sys.exit(f"coverage: no profile of a unit test in {given.profiles}")
    profile = merged(tools, unit, given.profiles / "unit.profdata")
    by_unit = exported(tools, given.program, profile, given.folder)
    profile = merged(tools, every, given.profiles / "all.profdata")
    report(by_unit, exported(tools, given.program, profile, given.folder), given.folder)


if __name__ == "__main__":
    main()
