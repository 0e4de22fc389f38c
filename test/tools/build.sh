#!/usr/bin/env bash
# Builds the programs that the tests run from published modules into the given folder, each once per version: kubectl,
# etcd, kube-apiserver, kube-controller-manager, helm, the node of test clusters, and the vCluster chart as a package.
set -euo pipefail
folder=$1
here=$(cd "$(dirname "$0")" && pwd)

# The version of a module that a go.mod requires.
required() { sed -n "s|^\(require \)\?[[:space:]]*$2 v\([0-9.]*\)\( //.*\)\?$|\2|p" "$here/$1/go.mod"; }

version_of() {
  case $1 in
    # kubectl's own modules are numbered 0.x for Kubernetes 1.x.
    kubectl) required kubectl k8s.io/kubectl | sed 's/^0/1/' ;;
    kube-apiserver | kube-controller-manager) required "$1" k8s.io/kubernetes ;;
    etcd) required etcd go.etcd.io/etcd/server/v3 ;;
    helm) required helm helm.sh/helm/v3 ;;
    vcluster) required vcluster github.com/loft-sh/vcluster ;;
    kubernetes-node) cat "$here"/kubernetes-node/* | sha256sum | cut -c 1-12 ;;
  esac
}

# Variables that the linker sets. It ignores those that a program does not have.
variables() {
  local program=$1 version=$2 kubernetes=k8s.io/component-base/version helm=helm.sh/helm/v3 minor
  case $program in
    helm)
      # The cluster version that helm assumes when it has no cluster to query.
      minor=$(required helm k8s.io/client-go | cut -d. -f2)
      printf -- '-X %s ' "$helm/internal/version.version=v$version" "$helm/pkg/chartutil.k8sVersionMinor=$minor" \
        "$helm/pkg/lint/rules.k8sVersionMinor=$minor"
      ;;
    kube*)
      printf -- '-X %s ' "$kubernetes.gitVersion=v$version" "$kubernetes.gitMajor=${version%%.*}" \
        "$kubernetes.gitMinor=$(printf '%s' "$version" | cut -d. -f2)"
      ;;
  esac
}

need_go() {
  command -v go >/dev/null || { apt-get update -qq && apt-get install -y -qq golang-go; }
}

build() {
  local program=$1 package=. version stamp
  version=$(version_of "$program")
  stamp="$folder/.$program-$version"
  if [ -f "$stamp" ] && [ -x "$folder/$program" ]; then return; fi
  need_go
  printf 'building %s %s\n' "$program" "$version"
  # A main package, which no other program can import.
  if [ "$program" = helm ]; then package=helm.sh/helm/v3/cmd/helm; fi
  ( cd "$here/$program" && CGO_ENABLED=0 go build -mod=readonly -buildvcs=false -trimpath \
      -ldflags "-s -w $(variables "$program" "$version")" -o "$folder/$program" "$package" )
  rm -f "$folder/.$program"-[0-9a-f]*
  touch "$stamp"
}

# The chart is part of the vCluster module, without the version that its releases have.
pack_chart() {
  local version module
  version=$(version_of vcluster)
  if [ -f "$folder/vcluster-$version.tgz" ]; then return; fi
  need_go
  printf 'packing the chart of vCluster %s\n' "$version"
  module=$(cd "$here/vcluster" && go mod download -json github.com/loft-sh/vcluster | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  "$folder/helm" package "$module/chart" --version "$version" --app-version "$version" --destination "$folder" >/dev/null
}

mkdir -p "$folder"
for program in kubectl etcd kube-apiserver kube-controller-manager helm kubernetes-node; do build "$program"; done
pack_chart
