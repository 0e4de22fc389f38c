#!/usr/bin/env bash
# Builds the programs that the tests run from published modules into the given folder, each once per version: kubectl,
# etcd (the current version, and the oldest one that is supported), kube-apiserver, kube-controller-manager, helm 3 and
# 4, the node of test clusters, and the vCluster chart as a package. With the argument `clients` it builds the tools of
# `npm run test:tools` and `npm run test:conformance` instead, which take much longer; with `missing-clients` it prints
# those that are not built yet.
set -euo pipefail
folder=$1
tools=${2:-core}
here=$(cd "$(dirname "$0")" && pwd)

# The version of a module that a go.mod requires.
required() { sed -n "s|^\(require \)\?[[:space:]]*$2 v\([0-9a-z.-]*\)\( //.*\)\?$|\2|p" "$here/$1/go.mod"; }

digest() { cat "$1"/* | sha256sum | cut -c 1-12; }

version_of() {
  case $1 in
    # kubectl's own modules are numbered 0.x for Kubernetes 1.x.
    kubectl) required kubectl k8s.io/kubectl | sed 's/^0/1/' ;;
    kube-apiserver | kube-controller-manager) required "$1" k8s.io/kubernetes ;;
    etcd | etcd-v3.5) required "$1" go.etcd.io/etcd/server/v3 ;;
    helm) required helm helm.sh/helm/v3 ;;
    helm4) required helm4 helm.sh/helm/v4 ;;
    tofu) printf '%s-%s' "$(required tofu github.com/opentofu/opentofu)" "$(digest "$here/tofu/replaced")" ;;
    # Its releases have no module version, because its module path has no major version.
    terraform-provider-kubernetes) required "$1" github.com/hashicorp/terraform-provider-kubernetes ;;
    vcluster) required vcluster github.com/loft-sh/vcluster ;;
    # Programs of this repository.
    kubernetes-node | flux-sync | gitops-sync | kubernetes-e2e) digest "$here/$1" ;;
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
    helm4) printf -- '-X %s ' "helm.sh/helm/v4/internal/version.version=v$version" ;;
    # A release, not a development version.
    tofu) printf -- '-X %s ' github.com/opentofu/opentofu/version.dev=no ;;
    kubernetes-*) ;;
    kube*)
      printf -- '-X %s ' "$kubernetes.gitVersion=v$version" "$kubernetes.gitMajor=${version%%.*}" \
        "$kubernetes.gitMinor=$(printf '%s' "$version" | cut -d. -f2)"
      ;;
  esac
}

need_go() {
  command -v go >/dev/null || { apt-get update -qq && apt-get install -y -qq golang-go; }
}

# The folder of a module in the module cache.
module_folder() { ( cd "$here/$1" && go mod download -json "$2" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p' ); }

# Copies the module of OpenTofu without its clients of cloud providers, a third of its packages: the tests keep the
# state in local files. Creates a go.mod beside the copy that uses it.
copy_tofu() {
  local copy=$1 module
  module=$(module_folder tofu github.com/opentofu/opentofu)
  rm -rf "$copy"
  mkdir "$copy"
  cp -r "$module" "$copy/module"
  chmod -R u+w "$copy"
  cp "$here/tofu/replaced/backends.go" "$copy/module/internal/backend/init/init.go"
  cp "$here/tofu/replaced/encryption.go" "$copy/module/internal/encryption/default_registry.go"
  cp "$here/tofu/go.mod" "$here/tofu/go.sum" "$copy"
  go mod edit -replace "github.com/opentofu/opentofu=$copy/module" "$copy/go.mod"
}

is_built() { [ -f "$folder/.$1-$(version_of "$1")" ] && [ -x "$folder/$1" ]; }

build() {
  local program=$1 package=. version source="$folder/.source" flags=()
  if is_built "$program"; then return; fi
  version=$(version_of "$program")
  need_go
  printf 'building %s %s\n' "$program" "$version"
  # Main packages, which no other program can import.
  case $program in
    helm) package=helm.sh/helm/v3/cmd/helm ;;
    helm4) package=helm.sh/helm/v4/cmd/helm ;;
    tofu)
      package=github.com/opentofu/opentofu/cmd/tofu
      copy_tofu "$source"
      flags=("-modfile=$source/go.mod")
      ;;
    terraform-provider-kubernetes) package=github.com/hashicorp/terraform-provider-kubernetes ;;
  esac
  # The program appears under its name when it is complete: a background build may be interrupted at any time.
  ( cd "$here/$program" && CGO_ENABLED=0 go build -mod=readonly "${flags[@]}" -buildvcs=false -trimpath \
      -ldflags "-s -w $(variables "$program" "$version")" -o "$folder/.new-$program" "$package" )
  mv "$folder/.new-$program" "$folder/$program"
  rm -rf "$source"
  rm -f "$folder/.$program"-[0-9a-f]*
  touch "$folder/.$program-$version"
}

# The chart is part of the vCluster module, without the version that its releases have.
pack_chart() {
  local version module
  version=$(version_of vcluster)
  if [ -f "$folder/vcluster-$version.tgz" ]; then return; fi
  need_go
  printf 'packing the chart of vCluster %s\n' "$version"
  module=$(module_folder vcluster github.com/loft-sh/vcluster)
  "$folder/helm" package "$module/chart" --version "$version" --app-version "$version" --destination "$folder" >/dev/null
}

mkdir -p "$folder"
clients=(flux-sync gitops-sync kubernetes-e2e terraform-provider-kubernetes tofu)
case $tools in
  clients)
    for program in "${clients[@]}"; do build "$program"; done
    exit
    ;;
  missing-clients)
    for program in "${clients[@]}"; do is_built "$program" || echo "$program"; done
    exit
    ;;
esac
for program in kubectl etcd etcd-v3.5 kube-apiserver kube-controller-manager helm helm4 kubernetes-node; do build "$program"; done
pack_chart
