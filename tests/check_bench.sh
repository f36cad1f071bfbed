#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The bench harness tells the truth: equal arms come out equal, a planted slowdown of 3% is found. Ratios between
# neighbouring processes only, no time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/../bench/selfcheck.py" --bin "${TN_BUILD:-.}/bench/bin"
