#!/usr/bin/env bash
# Builds kubectl from its published modules into the folder given, once per version.
set -euo pipefail
folder=$1
here=$(cd "$(dirname "$0")/kubectl" && pwd)
version=$(sed -n 's/^\tk8s.io\/kubectl v0\.\([0-9.]*\)$/1.\1/p' "$here/go.mod")
stamp="$folder/.kubectl-$version"
if [ -f "$stamp" ] && [ -x "$folder/kubectl" ]; then exit 0; fi
if ! command -v go >/dev/null; then
  apt-get update -qq && apt-get install -y -qq golang-go
fi
mkdir -p "$folder"
minor=$(printf '%s' "$version" | cut -d. -f2)
package=k8s.io/component-base/version
( cd "$here" && go build -buildvcs=false \
    -ldflags "-X $package.gitVersion=v$version -X $package.gitMajor=1 -X $package.gitMinor=$minor" \
    -o "$folder/kubectl" . )
touch "$stamp"
