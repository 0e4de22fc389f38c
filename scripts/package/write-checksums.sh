#!/usr/bin/env bash
# Writes the checksums of all files of a release folder to SHA256SUMS in it.
set -euo pipefail
cd "$1"
rm -f SHA256SUMS
sums=$(sha256sum -- *)
printf '%s\n' "$sums" >SHA256SUMS
