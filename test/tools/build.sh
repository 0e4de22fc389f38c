#!/usr/bin/env bash
# Builds kubectl, kube-apiserver and etcd from their published modules into the folder given, each once per version.
set -euo pipefail
folder=$1
here=$(cd "$(dirname "$0")" && pwd)

# The version that a module's go.mod asks for: kubectl's own modules are numbered 0.x for Kubernetes 1.x.
version_of() {
  case $1 in
    kubectl) sed -n 's/^\tk8s.io\/kubectl v0\.\([0-9.]*\)$/1.\1/p' "$here/kubectl/go.mod" ;;
    kube-apiserver) sed -n 's/^\tk8s.io\/kubernetes v\([0-9.]*\)$/\1/p' "$here/kube-apiserver/go.mod" ;;
    etcd) sed -n 's/^require go.etcd.io\/etcd\/server\/v3 v\([0-9.]*\)$/\1/p' "$here/etcd/go.mod" ;;
  esac
}

build() {
  local program=$1 version stamp package=k8s.io/component-base/version
  version=$(version_of "$program")
  stamp="$folder/.$program-$version"
  if [ -f "$stamp" ] && [ -x "$folder/$program" ]; then return; fi
  if ! command -v go >/dev/null; then
    apt-get update -qq && apt-get install -y -qq golang-go
  fi
  printf 'building %s %s\n' "$program" "$version"
  mkdir -p "$folder"
  # etcd knows its version by itself and has none of the variables; the linker passes over those that it does not find.
  ( cd "$here/$program" && CGO_ENABLED=0 go build -mod=readonly -buildvcs=false -trimpath \
      -ldflags "-s -w -X $package.gitVersion=v$version -X $package.gitMajor=${version%%.*} \
        -X $package.gitMinor=$(printf '%s' "$version" | cut -d. -f2)" \
      -o "$folder/$program" . )
  touch "$stamp"
}

for program in kubectl etcd kube-apiserver; do build "$program"; done
