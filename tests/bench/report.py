"""The table of scripts/bench, and the verdicts on the targets."""
from dataclasses import asdict

from cases import SMALL_OBJECTS
from measure import median, ratio


def middle(samples, figure):
    return median([getattr(sample, figure) for sample in samples])


def peak(samples):
    return max(sample.memory for sample in samples)


def ours_and_peers(taken):
    ours = taken["s3tug"]
    peers = {name: samples for name, samples in taken.items() if name != "s3tug" and isinstance(samples, list)}
    return (ours if isinstance(ours, list) else None), peers


def verdicts(case, taken):
    """(target in words, figure found, reached)"""
    ours, peers = ours_and_peers(taken)
    found = []
    if not ours:
        return [("all of it", str(taken["s3tug"]), False)]
    for target in case.targets:
        for name, samples in peers.items():
            if target.peer not in (name, "every"):
                continue
            if target.plus:
                extra = median([a.wall - b.wall for a, b in zip(ours, samples)])
                found.append((f"{target.figure} <= {name} + {target.plus * 1000:.0f} ms", f"{extra * 1000:+.1f} ms",
                              extra <= target.plus))
            else:
                value = ratio(ours, samples, target.figure)
                found.append((f"{target.figure} <= {target.factor:g} x {name}", f"{value:.2f}",
                              value <= target.factor))
    if case.cpu_each:
        each = middle(ours, "cpu") / SMALL_OBJECTS
        found.append((f"cpu <= {case.cpu_each * 1e6:.0f} us each", f"{each * 1e6:.0f} us", each <= case.cpu_each))
    found.append(("peak <= 64 MiB", f"{peak(ours):.1f} MiB", peak(ours) <= 64))
    return found


def show(case, taken):
    ours, _ = ours_and_peers(taken)
    print(f"\n{case.name}: {case.title}")
    for name, samples in taken.items():
        if not isinstance(samples, list):
            print(f"  {name:8} failed: {samples}", flush=True)
            continue
        line = f"  {name:8} wall {middle(samples, 'wall'):8.3f} s   CPU {middle(samples, 'cpu'):7.3f} s   " \
               f"peak {peak(samples):6.1f} MiB"
        if ours and name != "s3tug":
            line += f"   s3tug takes {ratio(ours, samples, 'wall'):.2f} of its wall, " \
                    f"{ratio(ours, samples, 'cpu'):.2f} of its CPU"
        print(line, flush=True)
    for words, value, reached in verdicts(case, taken):
        print(f"  {'ok  ' if reached else 'MISS'} {words}: {value}", flush=True)


def markdown(results):
    names = [name for name in ("curl", "s5cmd", "rclone", "aws", "s3cmd") if any(name in taken for _, taken in results)]
    lines = ["| work | s3tug: wall, CPU, peak | " + " | ".join(names) + " |", "| --- " * (len(names) + 2) + "|"]
    for case, taken in results:
        ours, peers = ours_and_peers(taken)
        cells = [case.title]
        cells.append(f"{middle(ours, 'wall'):.3f} s, {middle(ours, 'cpu'):.3f} s, {peak(ours):.0f} MiB" if ours
                     else "failed")
        for name in names:
            if name in peers and ours:
                cells.append(f"{ratio(ours, peers[name], 'wall'):.2f}, {ratio(ours, peers[name], 'cpu'):.2f}")
            else:
                cells.append("failed" if name in taken else "-")
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("\nUnder each peer: the wall and CPU that s3tug takes, as a share of the peer's (median of the pairs). "
                 "-: the peer has no such command or does not take part (curl: no trees, no copies).")
    lines += [f"{case.title}: {name} {reason}." for case, taken in results for name, reason in taken.items()
              if isinstance(reason, str)]
    missed = [f"- {case.title}: {words}: {value}" for case, taken in results
              for words, value, reached in verdicts(case, taken) if not reached]
    lines += ["\nMissed targets:", *missed] if missed else ["\nAll targets are reached."]
    return "\n".join(lines)


def as_json(results):
    rows = []
    for case, taken in results:
        tools = {name: samples if isinstance(samples, str) else [asdict(sample) for sample in samples]
                 for name, samples in taken.items()}
        judged = [{"target": words, "found": value, "reached": reached}
                  for words, value, reached in verdicts(case, taken)]
        rows.append({"name": case.name, "title": case.title, "tools": tools, "targets": judged})
    return rows
