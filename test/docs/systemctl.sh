#!/bin/bash
# Stands in for systemctl where no systemd runs: the unit is checked by systemd-analyze, then its ExecStart is run as the
# user that it names, with the state directory that it asks for.
[ "$1" = daemon-reload ] && exit 0
name=${!#}
unit=/etc/systemd/system/$name.service
value() { sed -n "s/^$1=//p" "$unit"; }
systemd-analyze verify --man=no "$unit" 2>&1 | grep -F "$unit" && exit 1
user=$(value User)
home=$(getent passwd "$user" | cut -d: -f6)
[ -n "$home" ] || { echo "$unit names the user $user, who does not exist"; exit 1; }
install -d -m "$(value StateDirectoryMode)" -o "$user" -g "$user" "/var/lib/$(value StateDirectory)"
log=/var/log/$name.log
# shellcheck disable=SC2046
cd / && setsid runuser -u "$user" -- env -i HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/sh \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=$NODE_EXTRA_CA_CERTS} \
  $(value Environment) $(value ExecStart) > "$log" 2>&1 < /dev/null &
pid=$!
for _ in $(seq 150); do
  [ -s "$log" ] && break
  sleep 0.2
done
cat "$log"
kill -0 $pid
