#!/bin/sh
# Runs the patterns of cmd/dev/flow-patterns here and in SimGrid, in turn, and prints
# messages/s of both, their ratio, and what each simulated:
#
#   apt-get install -y --no-install-recommends libsimgrid-dev g++
#   docs/simgrid/compare.sh 'pencil64 torus 512' 'bulk64 tree 512'
#
# Without arguments it runs the cases that SimGrid does in a minute or so; a case
# on which it takes longer than LIMIT seconds (default 120) is given up. SimGrid
# shares max-min fairly with its correction factors off.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -O2 -std=c++17 -o "$work/patterns" docs/simgrid/patterns.cpp -lsimgrid
go build -o "$work/flow" ./cmd/dev/flow-patterns

# platform NAME RANKS: as platform in cmd/dev/flow-patterns
platform() {
  case $1 in
    crossbar) shape='' ;;
    tree) shape="topology=\"FAT_TREE\" topo_parameters=\"3;8,8,$(($2 / 64));1,8,8;1,1,1\"" ;;
    torus) shape="topology=\"TORUS\" topo_parameters=\"8,$(($2 / 64)),8\"" ;;
    *) echo "no platform $1: crossbar, tree or torus" >&2; exit 2 ;;
  esac
  cat <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="c" prefix="n" radical="0-$(($2 - 1))" suffix="" speed="1Gf" bw="12.5GBps" lat="200ns" sharing_policy="SPLITDUPLEX" $shape/>
</platform>
XML
}

plain='--cfg=network/model:CM02 --cfg=network/TCP-gamma:1e30 --cfg=network/weight-S:0 --cfg=network/crosstraffic:0
  --cfg=surf/precision:1e-12 --cfg=contexts/stack-size:64 --log=root.thres:error'

[ $# -gt 0 ] || set -- 'stencil crossbar 512' 'stencil tree 512' 'stencil torus 512' \
  'pencil64 crossbar 512' 'pencil64 tree 512' 'pencil64 torus 512' 'paced64 tree 512'
printf '%-22s %9s %14s %14s %8s %14s %14s\n' case messages here/s SimGrid/s ratio 'here, us' 'SimGrid, us'
for each in "$@"; do
  read -r pattern where ranks <<CASE
$each
CASE
  platform "$where" "$ranks" > "$work/platform.xml"
  here=$("$work/flow" "$pattern" "$where" "$ranks")
  # shellcheck disable=SC2086 # the settings are words
  there=$(timeout "${LIMIT:-120}" "$work/patterns" "$pattern" "$ranks" $((ranks / 64)) "$work/platform.xml" $plain) || {
    printf '%-22s SimGrid: not done in %s s; here %s (messages, s, us)\n' "$each" "${LIMIT:-120}" "$here"
    continue
  }
  echo "$here $there" | awk -v name="$each" '{printf "%-22s %9d %14.0f %14.0f %8.1f %14.1f %14.1f\n", name, $1, $1 / $2, $4 / $5, $5 / $2, $3, $6}'
done
