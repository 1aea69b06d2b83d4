"""One state file, many processes: the breaker opens once, and exactly three trials go out at half-open."""
import concurrent.futures
import re
import time

from harness import Case, run_all

PROCESSES = 200


def run_many(case, count, *arguments, **environment):
    with concurrent.futures.ThreadPoolExecutor(max_workers=40) as pool:
        jobs = [pool.submit(case.run, *arguments, f"s3://box/k{n}", **environment) for n in range(count)]
        return [job.result() for job in jobs]


def transitions(ended, text):
    return sum(len(re.findall(text, e.err)) for e in ended)


def test_200_processes_open_the_breaker_once_and_then_send_exactly_three_trials():
    with Case() as c:
        source = c.file("f")
        c.lab.weather("*: 503 ServiceUnavailable")
        first = run_many(c, PROCESSES, "-v", "--retries", "0", "--breaker-open", "1h", "put", source)
        codes = {e.code for e in first}
        assert codes == {75, 69}, codes
        assert transitions(first, "closed -> open") == 1
        # Those that were under way when it opened were sent already; afterwards nothing is.
        c.lab.weather("*: 503 ServiceUnavailable")
        refused = run_many(c, 50, "--retries", "0", "--breaker-open", "1h", "put", source)
        assert {e.code for e in refused} == {69} and c.lab.log() == []

        # The time is over (the settings of the asking process decide); the trials hang, so that none has ended.
        c.lab.weather("*: hang")
        trials = [c.start("put", "--retries", "0", "--breaker-open", "10ms", "--deadline", "25s", source, f"s3://box/t{n}")
                  for n in range(PROCESSES)]
        ended = [0]
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up:
            ended = [p.poll() for p in trials]
            if sum(code is None for code in ended) == 3:
                break
            time.sleep(0.05)
        assert sum(code is None for code in ended) == 3, [code for code in ended if code != 69]
        assert ended.count(69) == PROCESSES - 3, ended
        assert c.lab.control("counts").split() == ["PutObject", "3"], c.lab.control("counts")
        for process in trials:
            process.kill() if process.poll() is None else None
            process.communicate()

        # All three died without a verdict: their permits come back, three successes close it.
        c.lab.weather()
        for n in range(3):
            ended = c.run("-v", "--breaker-open", "10ms", "put", source, f"s3://box/r{n}")
            assert ended.code == 0, ended
        assert "half-open -> closed" in ended.err, ended


def test_one_key_in_many_processes_at_once_is_sent_once():
    with Case() as c:
        source = c.file("f", b"x" * 100_000)
        c.lab.weather("PutObject 1: delay 300ms before-answer")
        with concurrent.futures.ThreadPoolExecutor(max_workers=20) as pool:
            jobs = [pool.submit(c.run, "--idempotency-key", "same", "put", source, "s3://vault/k") for _ in range(20)]
            ended = [job.result() for job in jobs]
        assert [e.code for e in ended] == [0] * 20, [e for e in ended if e.code]
        assert c.lab.sent("PutObject") == 1


run_all(globals())
