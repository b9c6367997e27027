#!/usr/bin/env bash
# Makes the two environments that run the code of docs/in_other_libraries.md: bash tests/clients/environments.sh FIRST SECOND
# Either folder may be "-", which leaves that environment out. $TORCH is what pip calls a CPU build of torch.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
torch=${TORCH:-torch==2.13.0}
constraint=$(mktemp)
trap 'rm -f "$constraint"' EXIT
echo "$torch" >"$constraint"

environment() { # folder, then what pip installs
    local venv="$1"
    shift
    [ "$venv" = - ] && return
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --upgrade "pip>=25.1" # the first that reads groups
    "$venv/bin/pip" install --quiet "$torch" # first, or a dependency brings gigabytes of another build
    "$venv/bin/pip" install --quiet --constraint "$constraint" "$@"
}

environment "${1:?first folder}" "$root[test]" --group "$root/pyproject.toml:clients"
# AutoGluon and Modin want pandas < 2.4, flaml[automl] xgboost < 3, and MLflow pyarrow < 26.
environment "${2:?second folder}" "$root[test]" autogluon.tabular "flaml[automl]" mlflow ray "modin[ray]"
