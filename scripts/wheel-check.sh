#!/usr/bin/env bash
# Build the wheel, install it into a clean environment of each Python, and run the demo from there, outside the sources.
# Usage: [AGENTS=hermes] scripts/wheel-check.sh [3.11 3.12 3.13]   (without AGENTS: the demo's part without real agents)
# Ends with 77 when a Python is not on this machine.
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)
uv=${UV:-$sources/.venv/bin/uv}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# A copy of what is under version control: build leftovers of the working folder must not get into the wheel.
mkdir "$place/sources"
git -C "$sources" ls-files -z --cached --others --exclude-standard | (cd "$sources" && xargs -0 sh -c 'for f; do [ -f "$f" ] && cp --parents "$f" "$0"; done; :' "$place/sources")
"$uv" build --quiet --wheel --out-dir "$place/wheel" "$place/sources"

find_python() {  # a shim that only names the version is no interpreter
  local found
  for found in "$("$uv" python find --no-python-downloads --system --no-project "$1" 2>/dev/null)" \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    if [ -x "$found" ] && "$found" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
      echo "$found"
      return
    fi
  done
  return 1
}

for version in "${@:-3.11 3.12 3.13}"; do
  for one in $version; do
    python=$(find_python "$one") || { echo "Python $one is not on this machine"; exit 77; }
    "$uv" venv --quiet --python "$python" "$place/$one"
    "$uv" pip install --quiet --python "$place/$one/bin/python" "$place"/wheel/*.whl
    mkdir "$place/out-$one"
    cd "$place/out-$one"
    env -u PYTHONPATH "$place/$one/bin/stewardbench" --version
    env -u PYTHONPATH "$place/$one/bin/stewardbench" --help >help.txt
    env -u PYTHONPATH "$place/$one/bin/stewardbench" agents list
    env -u PYTHONPATH "$place/$one/bin/stewardbench" demo --agents "${AGENTS:-}" --out demo
    env -u PYTHONPATH "$place/$one/bin/stewardbench" summary demo --json >summary.json
    echo "Python $one: the wheel installs and runs the demo${AGENTS:+ on $AGENTS}"
  done
done
