# Functions for the control groups of the node: one group in each hierarchy of cgroup v1, or one in that of cgroup v2.
# Some machines have both, and runc then uses both.
# The kubelet creates the groups of pods below it.

group_root=/sys/fs/cgroup

group_folders() {
  local name=$1 hierarchy
  if [ -f "$group_root/cgroup.controllers" ]; then
    echo "$group_root/$name"
    return
  fi
  for hierarchy in "$group_root"/*/; do
    if [ -f "$hierarchy/cgroup.procs" ]; then echo "$hierarchy$name"; fi
  done
}

create_groups() {
  local folder file
  if [ -f "$group_root/cgroup.controllers" ]; then
    echo '+cpu +cpuset +memory +pids' >"$group_root/cgroup.subtree_control" || return
  fi
  for folder in $(group_folders "$1"); do
    mkdir -p "$folder" || return
    # A new group of cgroup v1 has no CPUs.
    for file in cpuset.cpus cpuset.mems; do
      if [ -f "$folder/$file" ] && [ ! -f "$folder/cgroup.controllers" ]; then
        cat "$(dirname "$folder")/$file" >"$folder/$file" || return
      fi
    done
  done
}

# Removes the group with all groups below it. Their processes must have ended; the kernel may need some time for that.
remove_groups() {
  local folder attempt
  for folder in $(group_folders "$1"); do
    for attempt in $(seq 50); do
      find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [ -d "$folder" ] || break
      sleep 0.2
    done
    if [ -d "$folder" ]; then
      echo "the control group $folder cannot be removed" >&2
      return 1
    fi
  done
}
