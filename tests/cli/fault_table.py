"""The faults of tests/lab/README.md and, by the class of each, how a command that meets it must end.

The codes follow from the classification (a failure that is temporary is outlasted when it comes once and is 75 when it
stays; one that is final has its class's code at once) and from what proves that a write whose answer was lost landed.
"""
from dataclasses import dataclass

READS = {"GetObject"}
LISTS = {"ListObjectsV2"}
# A look at the object proves that these landed (write token, or time and ETag; absence for a delete).
PROVABLE = {"PutObject", "CopyObject", "DeleteObject", "CompleteMultipartUpload"}
# Its keys are deleted one by one after an outcome that is not known, so that it need not work at all.
BATCH = "DeleteObjects"
WITH_BODY = {"PutObject", "UploadPart", "CompleteMultipartUpload", BATCH}
WITH_ANSWER_BODY = {"GetObject", "CopyObject", "CreateMultipartUpload", "CompleteMultipartUpload", BATCH} | LISTS
WITH_CHECKSUM = {"PutObject", "UploadPart"}
# They carry a checksum that the user did not ask for: a store that refuses it gets the request without.
OWN_CHECKSUM = WITH_CHECKSUM | {"CreateMultipartUpload", "CompleteMultipartUpload"}
# Stores take minutes to answer these, so silence is no failure before ten have passed.
SLOW = {"CopyObject", "CompleteMultipartUpload"}
ALL = PROVABLE | WITH_BODY | WITH_ANSWER_BODY


@dataclass
class Fault:
    actions: tuple
    once: object  # operation -> codes
    always: object
    operations: set = None  # those it has a meaning for; None: all
    lies: bool = False      # the store says what is not so: exit 0 cannot be held against the bytes
    spreads: bool = False   # what one request meets holds for those after it
    deadline: str = ""      # of the command, where it would wait for minutes as it should

    def codes(self, operation, always, items=1):
        codes = (self.always if always else self.once)(operation)
        if operation == BATCH and codes & {75, 76}:
            codes = codes | {0}
        if items > 1 and self.spreads:
            # A HEAD that comes after it has a status and no body, which does not say what the matter is.
            codes = codes | {1}
        # A run that its deadline ended has that code, whatever was done before.
        if items > 1 and not always and operation not in LISTS and operation != BATCH and codes not in ({0}, {124}):
            # The others went well, unless it is theirs too.
            codes = (codes if 0 in codes or self.spreads else set()) | {1}
        return codes

    def fits(self, operation):
        return self.operations is None or operation in self.operations

    def keeps_upload(self, operation):
        """Of an upload that was made twice for one request, or after the last look for it, nobody knows."""
        return self.actions[0].split()[0] in ("dup", "late") and operation == "CreateMultipartUpload"


def just(*codes):
    return lambda operation: set(codes)


FINE, GAVE_UP = just(0), just(75)


def fault(*actions, once=FINE, always=GAVE_UP, **more):
    return Fault(actions, once, always, **more)


def lost_answer(operation):
    """The effect is there, its answer never comes."""
    return {0} if operation in PROVABLE else {75}


def lost_or_fine(operation):
    """As before, but with nothing of the answer's body missing where it has none."""
    return lost_answer(operation) if operation in WITH_ANSWER_BODY else {0}


def partial_answer(operation):
    """A download gets further each time and may get there."""
    return {0, 75} if operation in READS else lost_or_fine(operation)


def unasked(operation):
    """A 412 without a condition: only gets and copies have one of ours."""
    return {79} if operation in READS | {"CopyObject", "UploadPartCopy"} else {76}


def no_result(operation):
    """A success whose result is missing: for reads a broken answer, for writes an unknown outcome that no look settles."""
    return {65, 75, 76} if operation in READS else {75, 76}


def damaged(operation):
    """A bit of an answer's document: it may be read all the same, or not at all."""
    return {0, 75, 76}


def broken(word, operations):
    """One way for a connection to end, at each stage."""
    yield fault(f"{word} before-read", operations=operations)
    yield fault(f"{word} after-headers", operations=operations)
    yield fault(f"{word} mid-body", operations=operations & WITH_BODY)
    yield fault(f"{word} mid-body@1", operations=operations & WITH_BODY)
    yield fault(f"{word} after-body", operations=operations)
    yield fault(f"{word} before-answer", always=lost_answer, operations=operations)
    yield fault(f"{word} mid-head@20", always=lost_answer, operations=operations)
    yield fault(f"{word} mid-answer", always=partial_answer, operations=operations & WITH_ANSWER_BODY)


def silent():
    """A store that says nothing where it may take minutes: the deadline ends it, and only that."""
    for stage in ("before-read", "after-headers", "after-body", "before-answer"):
        yield fault(f"hang {stage}", once=just(124), always=just(124), operations=SLOW, deadline="1500ms")
    for stage in ("mid-head@20", "mid-answer"):
        yield fault(f"hang {stage}", once=just(0, 124), always=just(0, 124), operations=SLOW, deadline="3s")


def refused(status, code, exit_code, **more):
    return fault(f"{status} {code}", once=just(exit_code), always=just(exit_code), **more)


FAULTS = [
    *broken("reset", ALL),
    *broken("close", ALL),
    *broken("hang", ALL - SLOW),
    *silent(),
    fault("reset after-answer", always=FINE),
    fault("close after-answer", always=FINE),
    fault("delay 300ms", always=FINE),
    # Not now.
    fault("503 SlowDown"),
    fault("503 SlowDown x-amz-retry-after=50"),
    fault("503 ServiceUnavailable retry-after=1"),
    fault("429 TooManyRequests"),
    fault("500 InternalError"),
    fault("500 InternalError after-headers"),
    fault("400 RequestTimeout"),
    fault("504 GatewayTimeout empty"),
    fault("html"),
    fault("garbage"),
    fault("503 SlowDown garbage"),
    fault("503 SlowDown chunked"),
    fault("503 SlowDown no-length"),
    # Answers of doubtful worth.
    fault("empty-200", always=GAVE_UP, operations={"GetObject"}),
    fault("empty-200", always=no_result, operations={"PutObject", "CopyObject", "CreateMultipartUpload", "UploadPart",
                                                     "CompleteMultipartUpload"}),
    fault("200-with-error InternalError", always=no_result),
    fault("200-with-error SlowDown", always=no_result),
    fault("apply-then 500 InternalError", always=lost_answer),
    fault("apply-then html", always=lost_answer),
    fault("apply-then 200-with-error InternalError", always=lambda o: no_result(o) if o in READS else lost_answer(o) | {76}
          if o not in PROVABLE else {0}),
    fault("late 200ms", always=just(0, 75)),
    fault("reset before-answer", "hide 1", always=just(0, 75), operations={"PutObject", "CopyObject"}),
    fault("dup", always=lambda o: {0, 75} if o == "CompleteMultipartUpload" else {0}),
    # Final.
    fault("deny", once=just(77), always=just(77)),
    fault("403 SignatureDoesNotMatch", once=lambda o: {0} if o in OWN_CHECKSUM else {77}, always=just(77)),
    refused(404, "NoSuchBucket", 66),
    fault("412 PreconditionFailed", once=unasked, always=unasked),
    fault("409 OperationAborted"),
    refused(400, "InvalidArgument", 76),
    refused(403, "QuotaExceeded", 76),
    fault("501 NotImplemented", once=lambda o: {0} if o in OWN_CHECKSUM else {76}, always=just(76)),
    fault("404 NoSuchKey", once=just(66), always=just(66), operations={"GetObject", "CopyObject"}),
    fault("404 NoSuchKey", once=FINE, always=FINE, operations={"DeleteObject"}, lies=True),
    fault("expire", once=just(77), always=just(77), spreads=True),
    # What is mended. A clock or region that is wrong for one request only may cost the one repair there is.
    fault("skew 3600", once=just(0, 78), always=FINE),
    fault("skew -3600", once=just(0, 78), always=FINE),
    # A bucket whose parts want another region than their upload, or its objects than their list: the lab names no region
    # in what is no fault, so that way back is not mended.
    fault("region eu-west-1", once=just(0, 78), always=lambda o: {0, 78} if "Upload" in o or o in LISTS else {0}),
    fault("no-checksum 400", always=just(0, 76)),
    fault("no-checksum 501", always=just(0, 76)),
    fault("redirect 307 127.0.0.1:1", once=just(75, 76, 78), always=just(75, 76, 78)),
    fault("redirect 301 127.0.0.1:1", once=just(75, 76, 78), always=just(75, 76, 78)),
    fault("ignore-conditions", always=FINE),
    # Damage.
    fault("flip up 3", always=just(65), operations=WITH_CHECKSUM),
    fault("flip down 3", always=just(65), operations=READS),
    fault("flip down 3", always=damaged, operations=WITH_ANSWER_BODY - READS),
    fault("cut 5", always=partial_answer, operations=WITH_ANSWER_BODY),
    fault("chunked", always=FINE),
    fault("no-length", always=FINE),
    fault("drip 256K/10ms", always=FINE, operations=READS),
    fault("drip up 256K/10ms", always=FINE, operations=WITH_BODY),
]
