"""Keys with every awkward byte. A key must make the round trip, seen with the second client, or be refused with an
error before or by the store; it must never land under another name."""
from bench import BUCKET

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


def stored_under(b):
    """The only key of the bucket below no matter what prefix, or all of them."""
    keys = b.client.keys(BUCKET)
    return keys[0] if len(keys) == 1 else keys


def put(b, key, path):
    """s3tug puts it, or, where the key's last slash means a folder for s3tug, the second client does."""
    if not key.endswith(b"/"):
        return b.tug("put", path, b.uri(key))
    b.client.put(BUCKET, key, path.read_bytes())
    return None


def travel(b, key, path):
    """What went wrong first, or nothing."""
    there = b.folder / "there"
    run = put(b, key, path)
    if run and run.code != 0:
        return f"put: exit {run.code}: {run.err.splitlines()[-1:]}"
    # An XML document cannot carry every key; then the answer to HEAD is what shows it.
    seen = stored_under(b) if min(key) >= 32 else (key if b.client.head(BUCKET, key) else None)
    if seen != key:
        return f"the store lists {seen!r}"
    copy = b"copy of " + key
    for name, command in ((key, ("get", "--raw", b.uri(key), there)),
                          (copy, ("copy", "--raw", b.uri(key), b.uri(copy) if not copy.endswith(b"/") else b.uri("copied"))),
                          (copy, ("get", "--raw", b.uri(copy) if not copy.endswith(b"/") else b.uri("copied"), there))):
        run = b.tug(*command)
        if run.code != 0:
            return f"{command[0]}: exit {run.code}: {run.err.splitlines()[-1:]}"
        if command[0] == "get" and not b.same(path, there):
            return f"get {name!r}: other bytes"
        there.unlink(missing_ok=True)
    for name in (key, copy if not copy.endswith(b"/") else b"copied"):
        run = b.tug("delete", "--raw", b.uri(name))
        if run.code != 0:
            return f"delete: exit {run.code}: {run.err.splitlines()[-1:]}"
        if b.client.head(BUCKET, name) is not None:
            return f"delete {name!r}: it is still there"
    return None


def odd_keys(b, report, _):
    path = b.file("odd", 33)
    for key in b.client.keys(BUCKET):
        b.client.request("DELETE", BUCKET, key)
    for group, keys in GROUPS.items():
        wrong = {}
        for key in keys:
            why = travel(b, key, path)
            if why:
                wrong[key] = why
                for left in b.client.keys(BUCKET):
                    b.client.request("DELETE", BUCKET, left)
        summary = wrong and f"{len(wrong)} of {len(keys)}: " + "; ".join(f"{k!r}: {v}" for k, v in wrong.items())
        report.add(group, summary)
