"""What each server is known not to do, why, and how it must show: a case that goes wrong in another way is a failure.

The versions are those of Debian 12 (Ceph 16.2.15, Swift 2.30.1) and moto 5.2.1.
"""
from dataclasses import dataclass


@dataclass
class Limit:
    reason: str
    shows: str


IGNORED = Limit("not kept", "no header")
NO_CONDITIONS = Limit("501, exit 76", "exit 76 instead of")
NO_AUTHENTICATION = Limit("checks no signature", "exit 0 instead of 77")
NOT_KEPT = {f"... kept by the store ({name})": IGNORED for name in ("crc64nvme", "crc32", "crc32c", "sha1", "sha256")}

LIMITS = {
    "ceph-rgw": NOT_KEPT,
    "swift": NOT_KEPT | {
        "put --no-overwrite, new key": NO_CONDITIONS,
        "put --no-overwrite, key taken: 79": NO_CONDITIONS,
        "put --if-match, other ETag: 79": NO_CONDITIONS,
        "put --if-match, right ETag": NO_CONDITIONS,
        "put in parts --if-match, right ETag": Limit("never matches, exit 79", "exit 79 instead of 0"),
        "copy --no-overwrite, new key": NO_CONDITIONS,
    },
    "moto": {
        "wrong secret: 77": NO_AUTHENTICATION,
        "unknown access key: 77": NO_AUTHENTICATION,
    },
}

# The same for single keys. S3 asks for UTF-8.
REFUSED = Limit("refused", "put: exit 76")
REPLACED = Limit("stored with U+FFFD in it", "the store lists")
NOT_UTF8 = (b"l\xe9", b"\xff\xfe", b"a\x80b", b"\xed\xa0\x80")
KEY_LIMITS = {
    "ceph-rgw": dict.fromkeys(NOT_UTF8, REFUSED),
    "swift": dict.fromkeys(NOT_UTF8, REFUSED),
    "moto": dict.fromkeys(NOT_UTF8, REPLACED) | {b"c\nd": Limit("no such path there", "put: exit 66")},
}
