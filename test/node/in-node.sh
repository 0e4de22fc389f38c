#!/usr/bin/env bash
# The first process in the namespaces of the node of run.sh. Starts the programs of the cluster, waits until the node is
# ready, and runs the command. All processes in the namespaces end with this one.
#   in-node.sh RUN_FOLDER COMMAND ARGUMENT...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/control-groups.sh"
source "$here/certificates.sh"
run=$1
shift
group=$(basename "$run")
address=10.123.0.2
export PATH="$FLOTILLA_TOOLS:$PATH"

# Folders with fixed paths. Those that do not exist on the machine are removed at the end.
mount_over() {
  local folder=$1
  if [ ! -d "$folder" ]; then
    echo "$folder" >>"$run/mount-points"
    mkdir -p "$folder"
  fi
  mkdir -p "$run/mounts$folder"
  mount --bind "$run/mounts$folder" "$folder"
}

# The kubelet sets these values of the kernel, which belong to the machine. In its mount namespace, files that already
# contain them are mounted over them.
cover_setting() {
  local file=/proc/sys/$1 value=$2
  if [ ! -f "$file" ] || [ "$(cat "$file")" = "$value" ]; then return; fi
  mkdir -p "$run/settings"
  echo "$value" >"$run/settings/${1//\//-}"
  mount --bind "$run/settings/${1//\//-}" "$file"
}

# Programs in the node resolve the names of services. The file may be a link to a file in /run, which is empty now.
use_cluster_names() {
  local file
  file=$(readlink -m /etc/resolv.conf)
  printf 'nameserver 10.96.0.10\nsearch svc.cluster.local cluster.local\noptions ndots:5\n' >"$run/resolv.conf"
  mkdir -p "$(dirname "$file")"
  touch "$file"
  mount --bind "$run/resolv.conf" "$file"
}

prepare_mounts() {
  mount --make-rprivate /
  mount -t tmpfs tmpfs /run
  mkdir -p /run/node "$run/log" "$run/images"
  cp -r "$here/config/cni" /run/node/cni
  for folder in /var/lib/cni /var/lib/containerd /var/lib/kubelet /var/log; do mount_over "$folder"; done
  cover_setting vm/overcommit_memory 1
  cover_setting vm/panic_on_oom 0
  cover_setting kernel/panic 10
  cover_setting kernel/panic_on_oops 1
  cover_setting kernel/keys/root_maxkeys 1000000
  cover_setting kernel/keys/root_maxbytes 25000000
  use_cluster_names
  # Containers see mounts that are created later.
  mount --make-rshared /
}

prepare_network() {
  ip link set lo up
  ip link add node0 type veth peer name node1
  ip address add "$address/24" dev node0
  ip link set node0 up
  ip link set node1 up
  # A program that asks for its address needs a default route. Nothing answers there.
  ip route add default via 10.123.0.1
  echo 1 >/proc/sys/net/ipv4/ip_forward
  if [ -f /proc/sys/net/bridge/bridge-nf-call-iptables ]; then echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables; fi
}

declare -A pids=()
start() {
  local name=$1
  shift
  "$@" >"$run/log/$name.log" 2>&1 &
  pids[$name]=$!
}

fail() {
  echo "$1" >&2
  tail -n 40 "$run"/log/*.log >&2
  exit 1
}

# Runs the command again and again until it succeeds.
wait_until() {
  local what=$1 deadline=$((SECONDS + 120)) name
  shift
  until "$@" >"$run/log/wait.log" 2>&1; do
    for name in "${!pids[@]}"; do [ -d "/proc/${pids[$name]}" ] || fail "$name has ended before $what"; done
    [ "$SECONDS" -lt "$deadline" ] || fail "not so after 120 s: $what"
    sleep 0.5
  done
  echo "node: $what ($SECONDS s)"
}

start_control_plane() {
  local keys=/run/node/pki admin=/run/node/admin.kubeconfig etcd=http://127.0.0.1:2379
  start etcd etcd --data-dir "$run/etcd" --unsafe-no-fsync --log-level warn --listen-client-urls "$etcd" \
    --advertise-client-urls "$etcd" --listen-peer-urls http://127.0.0.1:2380
  start kube-apiserver kube-apiserver --etcd-servers "$etcd" --advertise-address "$address" \
    --service-cluster-ip-range 10.96.0.0/16 --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --allow-privileged=true --client-ca-file $keys/ca.crt \
    --tls-cert-file $keys/server.crt --tls-private-key-file $keys/server.key \
    --kubelet-client-certificate $keys/admin.crt --kubelet-client-key $keys/admin.key \
    --kubelet-preferred-address-types InternalIP \
    --service-account-issuer https://kubernetes.default.svc.cluster.local \
    --service-account-key-file $keys/accounts.key --service-account-signing-key-file $keys/accounts.key
  wait_until 'kube-apiserver is ready' kubectl get --raw /readyz
  start kube-controller-manager kube-controller-manager --kubeconfig $admin --leader-elect=false \
    --authentication-kubeconfig $admin --authorization-kubeconfig $admin --use-service-account-credentials \
    --service-account-private-key-file $keys/accounts.key --root-ca-file $keys/ca.crt \
    --cluster-signing-cert-file $keys/ca.crt --cluster-signing-key-file $keys/ca.key \
    --allocate-node-cidrs --cluster-cidr 10.244.0.0/16 --service-cluster-ip-range 10.96.0.0/16
  start kube-scheduler kube-scheduler --kubeconfig $admin --leader-elect=false \
    --authentication-kubeconfig $admin --authorization-kubeconfig $admin
}

import_images() {
  local archive
  node "$here/write-images.mjs" "$run/images"
  for archive in "$run"/images/*.tar ${FLOTILLA_NODE_IMAGES:-}; do
    ctr --namespace k8s.io images import "$archive"
  done
  rm -r "$run/images"
}

# Volumes for claims of the default storage class. Each is used once.
create_volumes() {
  local number
  for number in $(seq 12); do
    mkdir -p "$run/volumes/$number"
    printf '{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "volume-%s"}, "spec": %s}\n' "$number" \
      '{"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local",
        "local": {"path": "'"$run/volumes/$number"'"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["node"]}]}]}}}'
  done | kubectl apply -f - >/dev/null
}

prepare_mounts
prepare_network
create_groups "$group"
create_certificates "$address"
export KUBECONFIG=/run/node/admin.kubeconfig
start containerd containerd --config "$here/config/containerd.toml"
wait_until 'containerd is ready' ctr version
import_images >"$run/log/images.log" 2>&1 &
importer=$!
start_control_plane
start kubelet kubelet --config "$here/config/kubelet.yaml" --kubeconfig /run/node/kubelet.kubeconfig \
  --hostname-override node --node-ip "$address" --cgroup-root "/$group"
start kube-proxy kube-proxy --config "$here/config/kube-proxy.yaml" --hostname-override node
wait "$importer" || fail 'the images cannot be imported'
echo "node: images are imported ($SECONDS s)"
kubectl apply -f "$here/config/cluster.yaml" >/dev/null
create_volumes
wait_until 'the node is ready' kubectl wait --for=condition=Ready node/node --timeout=1s
wait_until 'names are resolved' kubectl rollout status deployment/coredns --namespace kube-system --timeout=1s
"$@"
