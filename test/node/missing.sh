#!/usr/bin/env bash
# Prints the reason why this machine cannot run the node of run.sh; nothing if it can.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/control-groups.sh"

quit() { echo "$1"; exit 0; }

[ "$(uname -s)" = Linux ] || quit 'it needs Linux'
[ "$(id -u)" = 0 ] || quit 'it needs root'
programs=()
for program in containerd ctr runc iptables conntrack ip ethtool busybox openssl unshare nsenter; do
  command -v "$program" >/dev/null || programs+=("$program")
done
for plugin in bridge host-local loopback portmap; do
  [ -x "/usr/lib/cni/$plugin" ] || programs+=("the CNI plugin $plugin")
done
if [ ${#programs[@]} -gt 0 ]; then
  quit "not installed: $(IFS=,; echo "${programs[*]}"); the guide test-on-a-cluster.md names the Debian packages"
fi
# Images contain it without shared libraries.
if ldd "$(command -v busybox)" >/dev/null 2>&1; then quit 'busybox is not static; install busybox-static'; fi
for program in etcd kube-apiserver kube-controller-manager kubectl helm kubelet kube-proxy kube-scheduler kine coredns vcluster-syncer; do
  [ -x "$FLOTILLA_TOOLS/$program" ] || programs+=("$program")
done
if [ ${#programs[@]} -gt 0 ]; then
  quit "not built: $(IFS=,; echo "${programs[*]}"); run bash test/tools/build.sh $FLOTILLA_TOOLS, and again with the argument node"
fi
unshare --mount --net --pid --fork --mount-proc true 2>/dev/null || quit 'it may not create namespaces'
# A veth pair, a NAT rule, and an overlay, each in namespaces that end at once.
unshare --net ip link add a0 type veth peer name b0 2>/dev/null || quit 'it may not create network devices'
unshare --net iptables -t nat -L >/dev/null 2>&1 || quit 'iptables does not work'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder"/{lower,upper,work,merged}
unshare --mount mount -t overlay overlay -o "lowerdir=$folder/lower,upperdir=$folder/upper,workdir=$folder/work" \
  "$folder/merged" 2>/dev/null || quit "the file system of $folder does not support overlays"
create_groups "flotilla-node-check-$$" 2>/dev/null || quit 'it may not create control groups'
remove_groups "flotilla-node-check-$$"
