#!/bin/sh
# Installs flotilla from the archive of a release, and kubectl if there is none, into the folder `bin` of
# FLOTILLA_INSTALL_DIR. Verifies the checksums of both. On GitHub, adds the folder to PATH for the following steps.
set -eu
: "${FLOTILLA_VERSION:?the version to install, for example 0.1.0}"
: "${FLOTILLA_RELEASES:?the address of the releases, for example https://github.com/OWNER/flotilla/releases/download}"
folder=${FLOTILLA_INSTALL_DIR:-$HOME/.local/share/flotilla}
kubectl_version=${KUBECTL_VERSION:-1.34.0}
kubectl_releases=${KUBECTL_RELEASES:-https://dl.k8s.io/release}

version=${FLOTILLA_VERSION#v}
case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) echo "install.sh: this script supports Linux and macOS, not $(uname -s)" >&2; exit 1 ;;
esac
case $(uname -m) in
  x86_64 | amd64) architecture=amd64 ;;
  aarch64 | arm64) architecture=arm64 ;;
  *) echo "install.sh: there is no release for $(uname -m), only for amd64 and arm64" >&2; exit 1 ;;
esac

download() { curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"; }

# Fails if the SHA-256 sum of file $1 is not $2.
verify() {
  if command -v sha256sum >/dev/null; then sum=$(sha256sum "$1"); else sum=$(shasum -a 256 "$1"); fi
  if [ -z "$2" ] || [ "${sum%% *}" != "$2" ]; then
    echo "install.sh: ${1##*/} has the wrong checksum (${sum%% *} instead of ${2:-none in SHA256SUMS}); nothing was installed" >&2
    exit 1
  fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=flotilla_${version}_${system}_${architecture}
download "$FLOTILLA_RELEASES/v$version/SHA256SUMS" "$work/SHA256SUMS"
download "$FLOTILLA_RELEASES/v$version/$name.tar.gz" "$work/$name.tar.gz"
verify "$work/$name.tar.gz" "$(awk -v file="$name.tar.gz" '$2 == file { print $1 }' "$work/SHA256SUMS")"
if ! command -v kubectl >/dev/null; then
  address=$kubectl_releases/v$kubectl_version/bin/$system/$architecture/kubectl
  download "$address" "$work/kubectl"
  download "$address.sha256" "$work/kubectl.sha256"
  verify "$work/kubectl" "$(cat "$work/kubectl.sha256")"
  chmod 755 "$work/kubectl"
fi

# The folder may contain other programs, for example if it is /usr/local.
mkdir -p "$folder/bin"
tar xzf "$work/$name.tar.gz" -C "$folder/bin" --strip-components=1
if [ -e "$work/kubectl" ]; then mv "$work/kubectl" "$folder/bin/"; fi
if [ -n "${GITHUB_PATH:-}" ]; then echo "$folder/bin" >>"$GITHUB_PATH"; fi
PATH=$folder/bin:$PATH flotilla version --client
