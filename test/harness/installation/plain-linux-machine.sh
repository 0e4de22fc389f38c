#!/usr/bin/env bash
# Runs a script (standard input) as on a Linux machine on which nothing is installed: in namespaces with its own processes,
# network, /etc, /opt, /usr/local/bin and /var/lib. There is no systemd in a test, so `systemctl` is a small program here. It runs
# the ExecStart of the installed unit with the user, the directories and the capability of the unit.
# Usage: plain-linux-machine.sh FOLDER; FOLDER is the current directory and the home directory of the script.
set -euo pipefail
if [ "${2:-}" != inside ]; then
  exec unshare --mount --net --pid --fork --kill-child --mount-proc bash "$0" "$1" inside
fi
folder=$1
mount --make-rprivate /
ip link set lo up
mkdir "$folder/machine"
cp -a /etc "$folder/machine/etc"
mount --bind "$folder/machine/etc" /etc
# The name of the server in the guides is the name of this machine.
echo 127.0.0.1 clusters.example.com >>/etc/hosts
for place in /opt /usr/local/bin /var/lib; do mount -t tmpfs -o mode=755 tmpfs "$place"; done

cat >/usr/local/bin/sudo <<'END'
#!/bin/sh
exec "$@"
END
cat >/usr/local/bin/systemctl <<'END'
#!/usr/bin/env bash
set -euo pipefail
unit=/etc/systemd/system/flotilla.service
value() { sed -n "s/^$1=//p" "$unit"; }
stop() {
  if [ ! -e /var/lib/server.pid ]; then return; fi
  kill "$(cat /var/lib/server.pid)"
  tail --pid "$(cat /var/lib/server.pid)" --sleep-interval 0.1 --follow /dev/null
}
start() {
  capability=$(value AmbientCapabilities | tr '[:upper:]' '[:lower:]')
  capability=${capability#cap_}
  install -d -m "$(value StateDirectoryMode)" -o "$(value User)" -g "$(value Group)" "/var/lib/$(value StateDirectory)"
  cd "$(value WorkingDirectory)"
  umask "$(value UMask)"
  # shellcheck disable=SC2046
  setpriv --reuid "$(value User)" --regid "$(value Group)" --clear-groups --no-new-privs --inh-caps "-all,+$capability" \
    --ambient-caps "-all,+$capability" --bounding-set "-all,+$capability" $(value ExecStart) >>/var/lib/server.log 2>&1 &
  echo $! >/var/lib/server.pid
}
case "$*" in
  daemon-reload) ;;
  'enable --now flotilla') start ;;
  'restart flotilla') stop; start ;;
  *) echo "systemctl: $* is not supported here" >&2; exit 1 ;;
esac
END
chmod 755 /usr/local/bin/sudo /usr/local/bin/systemctl
cd "$folder"
export HOME="$folder" PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
if ! timeout 100 bash -euo pipefail -s; then
  if [ -e /var/lib/server.log ]; then tail -n 20 /var/lib/server.log >&2; fi
  exit 1
fi
