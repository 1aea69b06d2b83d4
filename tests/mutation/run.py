#!/usr/bin/env python3
"""Applies the faults of *.toml one at a time and runs the tests until one fails. The rules of the list: README.md.

`--check` needs no build: it fails when the text of a fault is not in its file, or in it twice, so that the list cannot
rot unnoticed. Without options all faults are tried; the exit code is 1 when one survives or does not compile.
"""
import argparse
import concurrent.futures
import dataclasses
import itertools
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTS = Path(__file__).resolve().parent
SCRATCH = ROOT / "build-mutation"
COPIED = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "CHANGELOG.md", ".clang-format", "lib", "cmd",
          "tests", "man", "scripts")
SECONDS_OF_A_TEST = 120  # ten times what it needs: a fault that makes a loop endless is caught by that
BYTES_OF_A_TEST = 4 << 30
# What a fault leaves unused is no reason not to try it.
UNUSED_IS_FINE = "".join(f'#pragma GCC diagnostic ignored "-Wunused{what}"\n' for what in ("", "-parameter"))
# Half of the time of unit_engine, so they come last.
SLOW_CASES = "*at any moment*,ten thousand*,items under way*,no second request while*,the loop turns*,with a quarter*"
PROGRAMS = (
    ("unit_policy", ["--abort-after=1"]),
    ("unit_engine", ["--abort-after=1", f"-tce={SLOW_CASES}"]),
    ("unit_engine", ["--abort-after=1", f"-tc={SLOW_CASES}"]),
    ("s3tug-sim", ["--first", "1", "--runs", "300", "--failures", "1"]),
)


@dataclasses.dataclass
class Mutant:
    name: str
    file: str
    old: str
    new: str
    breaks: str

    def apply(self, text):
        """The text with the fault in it. White space in `old` stands for any, so that a new format changes nothing."""
        pattern = r"\s+".join(re.escape(word) for word in self.old.split())
        found = re.findall(pattern, text)
        if len(found) != 1:
            raise ValueError(f"{self.name}: its text is {len(found)} times in lib/{self.file}, not once")
        return re.sub(pattern, lambda _: self.new, text)


def load():
    lists = []
    for path in sorted(LISTS.glob("*.toml")):
        with path.open("rb") as file:
            lists.append([Mutant(**entry) for entry in tomllib.load(file)["mutant"]])
    # By turns, one of each file, so that a run that is stopped early has tried some of each.
    files = {}
    for mutant in itertools.chain(*lists):
        files.setdefault(mutant.file, []).append(mutant)
    mutants = [m for some in itertools.zip_longest(*files.values()) for m in some if m]
    names = [m.name for m in mutants]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ValueError("names that stand in the list twice: " + ", ".join(twice))
    return mutants


def wrong_entries(mutants):
    for mutant in mutants:
        path = ROOT / "lib" / mutant.file
        try:
            if not path.is_file():
                yield f"{mutant.name}: there is no lib/{mutant.file}"
            elif (text := path.read_text(encoding="utf-8")) == mutant.apply(text):
                yield f"{mutant.name}: changes nothing"
        except ValueError as error:
            yield str(error)


class Tree:
    """A copy of the sources with a build of its own."""

    def __init__(self, number, programs):
        self.programs = programs
        self.root = SCRATCH / f"tree{number}"
        self.build = self.root / "build-debug"

    def prepare(self):
        self.root.mkdir(parents=True, exist_ok=True)
        for name in COPIED:
            self.copy(ROOT / name, self.root / name)
        command = ["cmake", "--preset", "debug", "-Wno-dev", "-DCMAKE_CXX_FLAGS_DEBUG=-g1 -O0"]
        if shutil.which("clang++"):
            command.append("-DCMAKE_CXX_COMPILER=clang++")
            if shutil.which("mold"):
                command.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold")
        self.run_or_die(command)
        self.run_or_die(["cmake", "--build", str(self.build), "--target", *{name for name, _ in self.programs}])

    def try_none(self):
        for name, arguments in self.programs:
            if caught := self.caught_by(name, arguments):
                sys.exit(f"mutation: without any fault {name} fails already: {caught}")

    def copy(self, source, target):
        """Only what differs, so that a second run does not build all again; what is gone there goes here too."""
        if source.is_dir():
            target.mkdir(exist_ok=True)
            names = {p.name for p in source.iterdir() if p.name != "__pycache__"}
            for old in target.iterdir():
                if old.name not in names:
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
            for name in names:
                self.copy(source / name, target / name)
        elif source.exists() and (not target.exists() or source.read_bytes() != target.read_bytes()):
            shutil.copy(source, target)

    def run_or_die(self, command):
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("mutation: " + " ".join(command) + " failed\n" + done.stdout[-3000:] + done.stderr[-3000:])

    def try_one(self, mutant):
        path = self.root / "lib" / mutant.file
        original = path.read_text(encoding="utf-8")
        path.write_text(UNUSED_IS_FINE + mutant.apply(original), encoding="utf-8")
        try:
            # The tests of the policy know nothing of the engine.
            for name, arguments in self.programs[0 if mutant.file.startswith("policy/") else 1:]:
                built = subprocess.run(["cmake", "--build", str(self.build), "--target", name], cwd=self.root,
                                       capture_output=True, text=True)
                if built.returncode != 0:
                    errors = [line for line in built.stdout.splitlines() if "error: " in line]
                    if errors and "static_assert" in errors[0]:
                        return "the compiler: " + errors[0].split("error: ")[1]
                    return "does not compile: " + (errors[0] if errors else built.stdout[-300:])
                if caught := self.caught_by(name, arguments):
                    return caught
            return "survived"
        finally:
            path.write_text(original, encoding="utf-8")

    def caught_by(self, name, arguments):
        """What failed, or nothing."""
        process = subprocess.Popen([str(self.build / name), *arguments], cwd=self.root, text=True, errors="replace",
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit_memory)
        endless = False
        try:
            output, _ = process.communicate(timeout=SECONDS_OF_A_TEST)
        except subprocess.TimeoutExpired:
            endless = True
            process.send_signal(signal.SIGTERM)  # doctest says then in which case
            try:
                output, _ = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                output, _ = process.communicate()
        if process.returncode == 0:
            return ""
        return f"{name}: {first_failure(output)}{' (without end)' if endless else ''}"


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_OF_A_TEST, BYTES_OF_A_TEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def first_failure(output):
    case = ""
    for line in output.splitlines():
        if line.startswith("TEST CASE:"):
            case = line.removeprefix("TEST CASE:").strip()
        elif "ERROR:" in line and case:
            return case
        elif found := re.match(r"seed \d+: [^:]+: .*", line):
            return found[0][:120]
    return case or (output.strip().splitlines() or ["ended without a word"])[-1][:120]


def report(number, count, mutant, result, took):
    print(f"| {number}/{count} | {mutant.name} | {result.replace('|', '/')} | {took:.0f} s |", flush=True)


def run_all(mutants, jobs, programs):
    trees = queue.SimpleQueue()
    for number in range(jobs):
        tree = Tree(number, programs)
        tree.prepare()
        trees.put(tree)
    tree.try_none()
    results = {}

    def work(mutant):
        tree = trees.get()
        began = time.monotonic()
        try:
            results[mutant.name] = tree.try_one(mutant)
        finally:
            trees.put(tree)
        report(len(results), len(mutants), mutant, results[mutant.name], time.monotonic() - began)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in [pool.submit(work, mutant) for mutant in mutants]:
            future.result()
    return results


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutation", description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="NAME,...", help="these faults, or those whose name begins so")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="trees that build and test side by side (1)")
    parser.add_argument("--units", action="store_true", help="unit tests only, without the simulator")
    parser.add_argument("--list", action="store_true", help="name, file and meaning of each fault")
    parser.add_argument("--check", action="store_true", help="whether each fault still applies, without a build")
    options = parser.parse_args()
    mutants = load()
    wrong = list(wrong_entries(mutants))
    for line in wrong:
        print(line, file=sys.stderr)
    if options.check or wrong:
        print(f"mutation: {len(mutants)} faults, {len(wrong)} do not apply")
        return 1 if wrong else 0
    if options.only:
        wanted = tuple(options.only.split(","))
        mutants = [m for m in mutants if m.name.startswith(wanted)]
        mutants.sort(key=lambda m: m.file)  # side by side, so that a file is compiled once for each of its faults
        if not mutants:
            sys.exit(f"mutation: no fault is called {options.only}; --list names them")
    if options.list:
        for mutant in mutants:
            print(f"{mutant.name}: {mutant.breaks} ({mutant.file})")
        return 0
    results = run_all(mutants, max(1, options.jobs), PROGRAMS[:-1] if options.units else PROGRAMS)
    bad = {name: result for name, result in results.items() if result.startswith(("survived", "does not compile"))}
    print(f"mutation: {len(results)} faults, {len(results) - len(bad)} caught, {len(bad)} not")
    for name, result in sorted(bad.items()):
        print(f"  {name}: {result}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
