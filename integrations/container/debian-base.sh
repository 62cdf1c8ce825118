#!/bin/sh
# Make a base for the image out of Debian's packages, where no registry of images can be reached:
#
#   integrations/container/debian-base.sh wireproof-base:bookworm
#   docker build --file integrations/container/Dockerfile --build-arg BASE=wireproof-base:bookworm --tag wireproof .
#
# Needs mmdebstrap (apt), docker, and a suite with Python 3.11 or newer. Certificates that this machine trusts are trusted in the base.
set -eu
name=${1:?usage: debian-base.sh NAME [SUITE]}
suite=${2:-bookworm}
packed=$(mktemp)
trap 'rm -f "$packed"' EXIT
mmdebstrap --quiet --variant=essential --include=python3-venv,ca-certificates,libstdc++6,usr-is-merged \
    --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --customize-hook='copy-in /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs' \
    "$suite" - > "$packed"
docker import "$packed" "$name"
