"""Started by measure.py as `python3 -ISB launcher.py LIMIT COMMAND...`: runs the command, prints one line about it.

A process of its own because the kernel counts the peak memory of whoever starts a program as the program's: this one
is small (9 MiB), so that only figures below that are not to be trusted."""
import os
import signal
import sys
import time

began = time.monotonic()
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ, setpgroup=0)
late = False


def end(*_):
    global late
    late = True
    os.killpg(pid, signal.SIGKILL)


signal.signal(signal.SIGALRM, end)
signal.signal(signal.SIGTERM, end)
signal.alarm(int(sys.argv[1]))
_, status, used = os.wait4(pid, 0)
wall = time.monotonic() - began
code = "late" if late else os.waitstatus_to_exitcode(status)
os.write(3, f"{wall} {used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024} {code}".encode())
