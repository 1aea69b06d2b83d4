# Functions that the scripts here share. Sourced after `set -Eeuo pipefail`; defines names, does nothing.

say() { printf '== %s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# The Debian 12 packages for a purpose.
packages_for() {
    case $1 in
        build) echo g++ cmake ninja-build git ca-certificates libcli11-dev libcurl4-openssl-dev libssl-dev libfmt-dev \
                    libtomlplusplus-dev libsqlite3-dev libpugixml-dev nlohmann-json3-dev libisal-dev ;;
        # The lab server is built with the tests, which want doctest, and is controlled with curl.
        demo) echo doctest-dev curl ;;
        test) echo doctest-dev clang libclang-rt-14-dev clang-format-14 ccache mold curl openssl python3 ;;
        fuzz) echo clang libclang-rt-14-dev ;;
        coverage) echo clang libclang-rt-14-dev llvm ;;
        servers) echo radosgw ceph-mon ceph-osd ceph-common \
                      swift-proxy swift-account swift-container swift-object memcached ;;
        null-store) echo nginx-light ;;
        *) die "unknown purpose '$1': build, demo, test, fuzz, coverage, servers, null-store" ;;
    esac
}

# Whether Debian says that all these packages are installed.
packages_present() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || return 1
    done
}

# install_packages PURPOSE...: says what is missing and installs it, as root or through sudo.
install_packages() {
    local purpose package root=() wanted=() missing=()
    command -v dpkg-query >/dev/null || die "no dpkg here: install what README.md names by hand, then build with cmake"
    for purpose in "$@"; do
        read -ra wanted <<<"$(packages_for "$purpose")"
        for package in "${wanted[@]}"; do packages_present "$package" || missing+=("$package"); done
    done
    if [ ${#missing[@]} = 0 ]; then
        say "packages for $*: all installed"
        return
    fi
    say "installing packages for $*: ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "these packages need root to install, and there is no sudo: ${missing[*]}"
        root=(sudo)
    fi
    "${root[@]}" sh -c "$apt_without_services" apt "${missing[@]}" </dev/null
}

# apt-get for "$@". The services that some packages bring are not started: the scripts run their own, on loopback.
apt_without_services='
set -e
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    trap "rm -f $policy" EXIT INT TERM
    printf "#!/bin/sh\nexit 101\n" >$policy
    chmod 755 $policy
fi
apt-get update -q
apt-get install -q -y --no-install-recommends "$@"'
