# What the server scripts share. Sourced with `name` set and `start` (and, where it differs, `daemons`) defined after.
#
# Each script is NAME start|stop|status. Everything listens on 127.0.0.1 only, runs without systemd, as root or not,
# and keeps its files in S3_DIR, which start makes and stop removes. S3_DIR/env then holds endpoint and keys as
# shell assignments: `set -a; . S3_DIR/env`.
# Variables: S3_DIR, S3_PORT, S3_TLS_PORT or S3_TLS=1, S3_ACCESS_KEY, S3_SECRET_KEY; more stand in the script.
set -Eeuo pipefail

in_memory=/dev/shm
[ -w $in_memory ] || in_memory=${TMPDIR:-/tmp}
DIR=$(readlink -m "${S3_DIR:-$in_memory/s3tug-$name-$(id -u)}")
SECRET_KEY=${S3_SECRET_KEY:-testsecretkey0123456789}

# run NAME COMMAND...: in the background, in a session of its own. Its pid and start time tell it from a later process
# that was given the same pid.
run() {
    local daemon=$1
    shift
    setsid "$@" </dev/null >"$DIR/$daemon.out" 2>&1 &
    echo "$! $(start_time $!)" >"$DIR/$daemon.pid"
}

# In ticks since boot; the command name before it may hold blanks.
start_time() { { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f20; } 2>/dev/null || true; }

# alive DAEMON: sets pid. A zombie that nobody has reaped yet is gone, too.
alive() {
    local began
    read -r pid began 2>/dev/null <"$DIR/$1.pid" || return 1
    [ -n "$began" ] && [ "$(start_time "$pid")" = "$began" ] && grep -qs '^State:.[RSDTtI]' "/proc/$pid/status"
}

stop_one() {
    local pid
    alive "$1" || return 0
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 100); do
        alive "$1" || return 0
        sleep .05
    done
    kill -KILL "$pid" 2>/dev/null || true
}

stop() {
    local daemon
    [ -e "$DIR/.s3tug-server" ] || return 0
    for daemon in "${daemons[@]}"; do stop_one "$daemon"; done
    rm -rf "$DIR"
}

status() {
    local daemon pid up=0
    for daemon in "${daemons[@]}"; do
        if alive "$daemon"; then
            echo "$daemon: pid $pid, $(awk '/^VmRSS/ {print int($2 / 1024)}' "/proc/$pid/status") MiB"
        else
            echo "$daemon: not running"
            up=1
        fi
    done
    return $up
}

make_dir() {
    [ ! -e "$DIR" ] || fail "$DIR exists: stop first"
    mkdir -p "$DIR"
    touch "$DIR/.s3tug-server"
}

fail() {
    echo "$name: $*" >&2
    exit 1
}

need() {
    local tool
    for tool in "$@"; do
        PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || {
            rm -rf "$DIR"
            echo "$name: $tool is not installed ($packages)" >&2
            exit 77
        }
    done
}

# A failed start leaves the daemons' last words on stderr and nothing else.
start_failed() {
    trap - ERR
    echo "$name: did not start; failed: $BASH_COMMAND" >&2
    tail -n 5 "$DIR"/*.out "$DIR"/log/* >&2 2>/dev/null || true
    stop
    exit 1
}

certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost \
        -addext 'subjectAltName=DNS:localhost,DNS:*.localhost,IP:127.0.0.1' \
        -keyout "$DIR/key.pem" -out "$DIR/cert.pem" 2>/dev/null
}

# wait_for URL: until it answers anything, 30 s at most.
wait_for() {
    for _ in $(seq 300); do
        curl -sk -o /dev/null "$1" && return
        sleep .1
    done
    return 1
}

# started ENDPOINT ACCESS SECRET
started() {
    cat >"$DIR/env" <<ENV
AWS_ENDPOINT_URL=$1
AWS_ACCESS_KEY_ID=$2
AWS_SECRET_ACCESS_KEY=$3
AWS_REGION=us-east-1
ENV
    [ ! -e "$DIR/cert.pem" ] || echo "AWS_CA_BUNDLE=$DIR/cert.pem" >>"$DIR/env"
    echo "$name: $1, keys in $DIR/env"
}

main() {
    case ${1:-} in
        start)
            make_dir
            trap start_failed ERR
            start
            ;;
        stop) stop ;;
        status) status ;;
        *)
            echo "usage: ${0##*/} start|stop|status" >&2
            exit 64
            ;;
    esac
}
