"""Keys with every awkward byte. A key must make the round trip, seen with the second client, or be refused with an
error before or by the store; it must never land under another name."""
from bench import BUCKET
from limits import KEY_LIMITS

PUNCTUATION = [b"p" + bytes([c]) + b"q" for c in b" !\"#$%&'()*+,-.:;<=>?@[\\]^_`{|}~"]
CONTROLS = [b"c" + bytes([c]) + b"d" for c in [*range(1, 32), 127]]
UNICODE = [text.encode() for text in (
    "caf\u00e9", "cafe\u0301", "\u00df\u00e6\u00f8", "\u65e5\u672c\u8a9e", "\U0001f6a2 tug", "a\u00a0b", "a\u200bb", "a\u2028b",
    "\u05d0\u05d1\u202e", "\ufeffbom", "a\ufffdb", "\U0010fffd")]
NOT_UTF8 = [b"l\xe9", b"\xff\xfe", b"a\x80b", b"\xed\xa0\x80"]
SHAPES = [b"a//b", b"//a", b"/a", b"a/./b", b"a/../b", b"../a", b"./a", b"..", b".", b"...", b" lead", b"trail ",
          b"%41", b"a%2Fb", b"a%", b"a+b%20c d", b"?x=y", b"a?list-type=2", b"a&b=c;d", b"a#b", b"-", b"--help", b"~",
          b"s3://x/y", b"C:\\x", b"a\\..\\b", b"{a,b}[c]*?", b"'$(x)`\"", b"x" * 255, b"deep/" * 60 + b"x"]
EVERY_BYTE = [bytes(range(32, 127)), "".join(map(chr, range(0xa0, 0x100))).encode()]

GROUPS = {
    "keys: punctuation": PUNCTUATION,
    "keys: unicode": UNICODE,
    "keys: dots, slashes, escapes, options": SHAPES,
    "keys: all printable bytes in one": EVERY_BYTE,
    "keys: control characters": CONTROLS,
    "keys: not UTF-8": NOT_UTF8,
    "keys: ending in a slash": [b"folder/", b"a//"],
}


def travel(b, key, path):
    """What went wrong first, or nothing. A name that ends in a slash is a folder for s3tug, so there the second client
    puts the object, and the copy has a plain name."""
    there = b.folder / "there"
    copy = b"copied" if key.endswith(b"/") else b"copy of " + key
    if key.endswith(b"/"):
        b.client.put(BUCKET, key, path.read_bytes())
    else:
        run = b.tug("put", path, b.uri(key))
        if run.code != 0:
            return f"put: exit {run.code}: {run.err}"
    listed = b.client.keys(BUCKET)
    if listed != [key]:
        return f"the store lists {listed}"
    for name, command in ((key, ("get", "--raw", b.uri(key), there)), (copy, ("copy", "--raw", b.uri(key), b.uri(copy))),
                          (copy, ("get", "--raw", b.uri(copy), there))):
        run = b.tug(*command)
        if run.code != 0:
            return f"{command[0]}: exit {run.code}: {run.err}"
        if command[0] == "get" and not b.same(path, there):
            return f"get {name!r}: other bytes"
        there.unlink(missing_ok=True)
    for name in (key, copy):
        run = b.tug("delete", "--raw", b.uri(name))
        if run.code != 0:
            return f"delete: exit {run.code}: {run.err}"
        if b.client.head(BUCKET, name) is not None:
            return f"delete {name!r}: it is still there"
    return None


def clear(b):
    for key in b.client.keys(BUCKET):
        b.client.request("DELETE", BUCKET, key)


def odd_keys(b, report, _):
    path = b.file("odd", 33)
    known = KEY_LIMITS[report.server]
    clear(b)
    for group, keys in GROUPS.items():
        failed, limited = {}, {}
        for key in keys:
            wrong = travel(b, key, path)
            if not wrong:
                continue
            if key in known and known[key].shows in wrong:
                limited[key] = known[key].reason
            else:
                failed[key] = wrong
            clear(b)
        if failed:
            report.row(group, f"FAILED: {failed}")
        elif limited:
            reasons = ", ".join(sorted(set(limited.values())))
            report.row(group, f"{len(keys) - len(limited)} of {len(keys)}: {reasons}")
        else:
            report.row(group, "yes")
