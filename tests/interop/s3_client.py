"""A second opinion: a small S3 client that shares nothing with s3tug. Signature Version 4 by the AWS documentation."""
import datetime
import hashlib
import hmac
import http.client
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes, urlsplit

EMPTY = hashlib.sha256(b"").hexdigest()


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Client:
    def __init__(self, endpoint, access_key, secret_key, region="us-east-1"):
        self.host = urlsplit(endpoint).netloc
        self.access_key, self.secret_key, self.region = access_key, secret_key, region

    def request(self, method, bucket, key=b"", query=None, body=b""):
        path = quote(f"/{bucket}", safe="/") + ("/" + quote(key, safe="/~") if key else "")
        line = "&".join(f"{quote(k, safe='~')}={quote(v, safe='~')}" for k, v in sorted((query or {}).items()))
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(body).hexdigest() if body else EMPTY
        signed = {"host": self.host, "x-amz-content-sha256": digest, "x-amz-date": now}
        names = ";".join(signed)
        canonical = "\n".join([method, path, line, *(f"{k}:{v}" for k, v in signed.items()), "", names, digest])
        scope = f"{now[:8]}/{self.region}/s3/aws4_request"
        to_sign = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        secret = f"AWS4{self.secret_key}".encode()
        for part in scope.split("/"):
            secret = _hmac(secret, part)
        signature = _hmac(secret, to_sign).hex()
        extra = {"x-amz-checksum-mode": "ENABLED"} if method == "HEAD" else {}
        headers = dict(signed, **extra, authorization=f"AWS4-HMAC-SHA256 Credential={self.access_key}/{scope}, "
                                             f"SignedHeaders={names}, Signature={signature}")
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            connection.request(method, path + ("?" + line if line else ""), body=body, headers=headers)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def make_bucket(self, bucket):
        """A server that has just begun may need a moment more before it stores anything."""
        for _ in range(20):
            answer = self.request("PUT", bucket)
            if answer.status == 200:
                return
            time.sleep(0.5)
        raise RuntimeError(f"no bucket: {answer.status} {answer.body}")

    def put(self, bucket, key, body):
        return self.request("PUT", bucket, key, body=body).status == 200

    def head(self, bucket, key):
        """Headers of the object, or None."""
        answer = self.request("HEAD", bucket, key)
        return answer.headers if answer.status == 200 else None

    def get(self, bucket, key):
        answer = self.request("GET", bucket, key)
        return answer.body if answer.status == 200 else None

    def keys(self, bucket, prefix=b""):
        """All keys below the prefix, as bytes."""
        found, token = [], None
        while True:
            query = {"list-type": "2", "encoding-type": "url", "prefix": prefix} | ({"continuation-token": token} if token else {})
            answer = self.request("GET", bucket, query=query)
            assert answer.status == 200, (answer.status, answer.body)
            tree = ElementTree.fromstring(answer.body)
            space = {"s3": tree.tag[1:].split("}")[0]}
            found += [unquote_to_bytes(e.text.replace("+", " ")) for e in tree.findall("s3:Contents/s3:Key", space)]
            token = tree.findtext("s3:NextContinuationToken", None, space)
            if not token:
                return found
