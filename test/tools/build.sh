#!/usr/bin/env bash
# Builds the programs that the tests run from published modules into the given folder, each once per version: kubectl,
# etcd (the current version, and the oldest one that is supported), kube-apiserver, kube-controller-manager, helm 3 and
# 4, the node of test clusters, and the vCluster chart as a package. With the argument `clients` it builds the tools of
# `npm run test:tools`, `npm run test:conformance` and `npm run test:node` instead, which take much longer; with `node`
# only those of `npm run test:node`; with `missing-clients` it prints those that are not built yet. With the name of a
# program it builds only this one, for the architecture in GOARCH.
set -euo pipefail
folder=$1
tools=${2:-core}
here=$(cd "$(dirname "$0")" && pwd)

# The version of a module that a go.mod requires.
required() { sed -n "s|^\(require \)\?[[:space:]]*$2 v\([0-9a-z.-]*\)\( //.*\)\?$|\2|p" "$here/$1/go.mod"; }

# The folder with the go.mod of a program. Programs of one module share it.
folder_of() {
  case $1 in
    kubelet | kube-proxy | kube-scheduler) echo node-programs ;;
    vcluster-syncer) echo vcluster ;;
    *) echo "$1" ;;
  esac
}

digest() { cat "$1"/* | sha256sum | cut -c 1-12; }

version_of() {
  case $1 in
    # kubectl's own modules are numbered 0.x for Kubernetes 1.x.
    kubectl) required kubectl k8s.io/kubectl | sed 's/^0/1/' ;;
    kube-apiserver | kube-controller-manager | kubelet | kube-proxy | kube-scheduler)
      required "$(folder_of "$1")" k8s.io/kubernetes
      ;;
    etcd | etcd-v3.5) required "$1" go.etcd.io/etcd/server/v3 ;;
    helm) required helm helm.sh/helm/v3 ;;
    helm4) required helm4 helm.sh/helm/v4 ;;
    tofu) printf '%s-%s' "$(required tofu github.com/opentofu/opentofu)" "$(digest "$here/tofu/replaced")" ;;
    # Its releases have no module version, because its module path has no major version.
    terraform-provider-kubernetes) required "$1" github.com/hashicorp/terraform-provider-kubernetes ;;
    vcluster | vcluster-syncer) required vcluster github.com/loft-sh/vcluster ;;
    kine) printf '%s-%s' "$(required kine github.com/k3s-io/kine)" "$(digest "$here/kine/replaced")" ;;
    coredns) required coredns github.com/coredns/coredns ;;
    versitygw) required versitygw github.com/versity/versitygw ;;
    crossplane-provider-kubernetes) required "$1" github.com/crossplane-contrib/provider-kubernetes ;;
    # Programs of this repository.
    dex | kms-plugin | kubernetes-node | flux-sync | gitops-sync | kubernetes-e2e) digest "$here/$1" ;;
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
    vcluster-syncer) printf -- '-X %s ' "github.com/loft-sh/vcluster/pkg/telemetry.SyncerVersion=$version" ;;
    # It contains C code. A program without shared libraries runs in any image.
    kine) printf -- '-extldflags -static' ;;
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

# Copies a module for changes to its sources, and creates a go.mod beside the copy that uses it.
copy_module() {
  local program=$1 module=$2 copy=$3
  rm -rf "$copy"
  mkdir "$copy"
  cp -r "$(module_folder "$program" "$module")" "$copy/module"
  chmod -R u+w "$copy"
  cp "$here/$program/go.mod" "$here/$program/go.sum" "$copy"
  go mod edit -replace "$module=$copy/module" "$copy/go.mod"
}

# OpenTofu without its clients of cloud providers, a third of its packages: the tests keep the state in local files.
copy_tofu() {
  copy_module tofu github.com/opentofu/opentofu "$1"
  cp "$here/tofu/replaced/backends.go" "$1/module/internal/backend/init/init.go"
  cp "$here/tofu/replaced/encryption.go" "$1/module/internal/encryption/default_registry.go"
}

# kine with its driver for SQLite only, the default of a vCluster.
copy_kine() {
  copy_module kine github.com/k3s-io/kine "$1"
  cp "$here/kine/replaced/drivers.go" "$1/module/pkg/endpoint/init.go"
}

# Writes the custom resource definitions of Crossplane's provider into one file beside it: those of Crossplane 2.
collect_definitions() {
  local module file
  module=$(module_folder "$1" github.com/crossplane-contrib/provider-kubernetes)
  for file in "$module"/package/crds/kubernetes.m.*.yaml; do printf -- '---\n'; cat "$file"; done >"$folder/$1.yaml"
}

is_built() { [ -f "$folder/.$1-$(version_of "$1")" ] && [ -x "$folder/$1" ]; }

build() {
  local program=$1 package=. version source="$folder/.source-$1" flags=() cgo=0
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
    vcluster) package=github.com/loft-sh/vcluster/cmd/vclusterctl ;;
    vcluster-syncer) package=github.com/loft-sh/vcluster/cmd/vcluster ;;
    kubelet | kube-proxy | kube-scheduler) package=k8s.io/kubernetes/cmd/$program ;;
    kine)
      package=github.com/k3s-io/kine
      copy_kine "$source"
      flags=("-modfile=$source/go.mod" -tags 'netgo osusergo')
      cgo=1
      ;;
    versitygw) package=github.com/versity/versitygw/cmd/versitygw ;;
    crossplane-provider-kubernetes)
      package=github.com/crossplane-contrib/provider-kubernetes/cmd/provider
      collect_definitions "$program"
      ;;
  esac
  # The program appears under its name when it is complete: a background build may be interrupted at any time.
  ( cd "$here/$(folder_of "$program")" && CGO_ENABLED=$cgo go build -mod=readonly "${flags[@]}" -buildvcs=false -trimpath \
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
node=(kubelet kube-proxy kube-scheduler kine coredns vcluster-syncer)
# The order of the builds: the small programs and those of the node come first, because the time for the builds is limited.
clients=(dex kms-plugin "${node[@]}" versitygw kubernetes-e2e flux-sync gitops-sync terraform-provider-kubernetes tofu vcluster crossplane-provider-kubernetes)
case $tools in
  clients)
    for program in "${clients[@]}"; do build "$program"; done
    exit
    ;;
  node)
    for program in "${node[@]}"; do build "$program"; done
    exit
    ;;
  missing-clients)
    for program in "${clients[@]}"; do is_built "$program" || echo "$program"; done
    exit
    ;;
  core) ;;
  *)
    build "$tools"
    exit
    ;;
esac
for program in kubectl etcd etcd-v3.5 kube-apiserver kube-controller-manager helm helm4 kubernetes-node; do build "$program"; done
pack_chart
