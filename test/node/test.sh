#!/usr/bin/env bash
# npm run test:node: the lifecycle of a real vCluster, and Flotilla's own charts, on a node of real programs; and that
# the node leaves nothing behind. Arguments limit it to test files inside of the node.
set -euo pipefail
cd "$(dirname "$0")/../.."
export FLOTILLA_TOOLS="${FLOTILLA_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/flotilla-tools}"
bash test/node/run.sh --check

case $(uname -m) in aarch64) architecture=arm64 ;; *) architecture=amd64 ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm run --silent build
node scripts/package/image.mjs --arch "$architecture" --out "$folder/flotilla.tar"

export FLOTILLA_NODE_IMAGES="$folder/flotilla.tar" KUBEBUILDER_ASSETS="$FLOTILLA_TOOLS"
# The tag keeps the kubelet from asking a registry.
export FLOTILLA_IMAGE=busybox:1.35 FLOTILLA_CHART=
for file in "$FLOTILLA_TOOLS"/vcluster-[0-9]*.tgz; do FLOTILLA_CHART=$file; done
bash test/node/run.sh node_modules/.bin/vitest run --project cluster --project node "$@"
if [ $# -gt 0 ]; then exit; fi
node_modules/.bin/vitest run --project node-outside
