#!/bin/sh
# Measures the rows of the data sets rules-openmpi and rules-mpich: question by question, over a loopback that tc's tbf limits to
# 200 Mbit/s. Usage, as root: rules.sh >rows. With other work on the host it needs real-time priority (chrt). About a minute.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

urgent=
if chrt -r 10 true 2>/dev/null; then urgent="chrt -r 10"; fi

# measure LIBRARY ARGUMENTS...: one run, in a namespace of its own.
measure() {
	library=$1
	shift
	case $library in
	openmpi) launch="mpirun.openmpi --allow-run-as-root --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo --bind-to core -np 2" ;;
	mpich) launch="env UCX_TLS=tcp,self UCX_NET_DEVICES=lo mpiexec.mpich -bind-to core -np 2" ;;
	esac
	row=$(unshare -n sh -c '
		ip link set lo up && ip link set lo mtu 1500 && ethtool -K lo tso off gso off gro off >/dev/null &&
			tc qdisc add dev lo root tbf rate 200mbit burst 256kb limit 20mb && exec "$@"' limited \
		$urgent timeout -s KILL 20 $launch "$build/$library" "$@" | tail -1)
	echo "$library,${6:-10},$row"
	sleep 1
}

for library in openmpi mpich; do
	mpicc.$library -O2 -w -o "$build/$library" "$here/rules.c"
	for mode in sends receives tests probes nulls waits; do measure $library $mode 100000 20 10000 4; done
	for parts in 1 2 4; do measure $library tests 100000 20 10000 4 $parts; done
	measure $library sends 16000 20 1000 6
done
