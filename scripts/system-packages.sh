#!/usr/bin/env bash
# Installs the two system packages the tests use: bubblewrap (confinement) and chromium (page tests).
# Needs root; as another user it only says what is missing.
set -euo pipefail
missing=()
command -v bwrap >/dev/null || missing+=(bubblewrap)
command -v chromium >/dev/null || missing+=(chromium)
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "Please install: ${missing[*]} (for example: sudo apt-get install ${missing[*]})" >&2
fi
