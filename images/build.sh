#!/usr/bin/env bash
# Makes the two images that children need, and does nothing where they are up to date:
#   sallyport/base:dev    Debian with the programs of the builtin tools: nothing setuid, no engine client, no file of this host (S36)
#   sallyport/runner:dev  that, with a small Java runtime, the runner and its AOT cache under /opt/sallyport
#
# Needs a Docker engine, JAVA_HOME (a JDK 25) and what Maven left in runner/target.
#   SALLYPORT_BASE    mmdebstrap (the default) or a registry's Debian by digest: NAME@sha256:…
#   SALLYPORT_MIRROR  where mmdebstrap finds Debian, if not where it usually does
set -euo pipefail

images=$(cd "$(dirname "$0")" && pwd)
target=$images/../runner/target
base=${SALLYPORT_BASE:-mmdebstrap}
suite=trixie
packages="bash ca-certificates coreutils diffutils findutils git grep less patch procps sed tar tini util-linux"

say() { printf 'images: %s\n' "$*" >&2; }
die() { say "$*"; exit 125; }

hash() { sha256sum | cut -d' ' -f1; }

up_to_date() { # image, inputs
  [ "$(docker image inspect --format '{{index .Config.Labels "dev.sallyport.inputs"}}' "$1" 2>/dev/null)" = "$2" ]
}

# The one place where a root file system becomes the base image, whichever way it was made. Runs with that file system as $1.
finish_root='
  set -eu
  find "$1" -xdev -type f -perm /6000 -exec chmod ug-s {} +
  rm -rf "$1"/etc/resolv.conf "$1"/etc/hostname "$1"/etc/machine-id "$1"/etc/ssh "$1"/var/cache/* "$1"/var/log/* "$1"/tmp/* "$1"/root/.[!.]*
  # A workspace belongs to its child or to the host, never to the user that git expects.
  printf "[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n" > "$1"/etc/gitconfig
  mkdir -p "$1"/workspace "$1"/home/agent "$1"/run/sallyport
'

# name=version@sha256 of the archive that was installed; apt knows the hashes only while its lists are there.
list_packages='
  set -eu
  mkdir -p "$1"/usr/share/sallyport
  dpkg-query --admindir="$1"/var/lib/dpkg -W -f "\${Package}\t\${Version}\n" | sort | while IFS="	" read -r name version; do
    sum=$(apt-cache show "$name=$version" | sed -n "s/^SHA256: //p" | head -n 1)
    [ -n "$sum" ] || { echo "no hash for $name=$version" >&2; exit 1; }
    printf "%s=%s@sha256:%s\n" "$name" "$version" "$sum"
  done > "$1"/usr/share/sallyport/packages
'

by_mmdebstrap() { # root.tar
  command -v mmdebstrap >/dev/null || die "mmdebstrap is missing (install it, or set SALLYPORT_BASE to a Debian image by digest)"
  mmdebstrap --quiet --variant=essential --include="${packages// /,}" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --customize-hook="APT_CONFIG=\$MMDEBSTRAP_APT_CONFIG sh -c '$list_packages' - \"\$1\"" \
    --customize-hook="sh -c '$finish_root' - \"\$1\"" \
    "$suite" "$1" ${SALLYPORT_MIRROR:+"$SALLYPORT_MIRROR"}
}

by_registry() { # root.tar
  case $base in *@sha256:*) ;; *) die "SALLYPORT_BASE: \`$base\` (expected: mmdebstrap or NAME@sha256:…)" ;; esac
  local id container
  # The archive keys in the image verify what apt installs.
  id=$(DOCKER_BUILDKIT=0 docker build -q - <<DOCKERFILE
FROM $base
RUN apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends $packages && apt-get -q update
RUN sh -c '${list_packages//$'\n'/;}' - "" && rm -rf /var/lib/apt/lists/*
RUN sh -c '${finish_root//$'\n'/;}' - ""
DOCKERFILE
  ) || die "could not build on $base"
  container=$(docker create "$id" true)
  docker export "$container" > "$1"
  docker rm "$container" >/dev/null
  docker rmi "$id" >/dev/null
}

build_base() {
  local inputs work list
  inputs=$(printf '%s\n' "$base" "$suite" "$packages" "$finish_root" "$list_packages" | hash)
  up_to_date sallyport/base:dev "$inputs" && return
  say "making sallyport/base:dev ($base)"
  work=$(mktemp -d)
  if [ "$base" = mmdebstrap ]; then by_mmdebstrap "$work/root.tar"; else by_registry "$work/root.tar"; fi
  list=$(tar -xOf "$work/root.tar" ./usr/share/sallyport/packages 2>/dev/null || tar -xOf "$work/root.tar" usr/share/sallyport/packages)
  docker import --change "LABEL dev.sallyport.inputs=$inputs" --change "LABEL dev.sallyport.packages=\"${list//$'\n'/ }\"" \
    --change 'ENV LANG=C.UTF-8' "$work/root.tar" sallyport/base:dev >/dev/null
  rm -rf "$work"
}

# jlink keeps what the runner needs of the JDK: Jackson wants java.xml.
build_jre() {
  local jre=$target/jre release
  release=$(cat "$JAVA_HOME/release")
  [ "$(cat "$jre/made-from" 2>/dev/null)" = "$release" ] && return
  rm -rf "$jre"
  "$JAVA_HOME/bin/jlink" --add-modules java.base,java.xml --strip-debug --no-header-files --no-man-pages --output "$jre" \
    || die "jlink failed (expected: JAVA_HOME is a JDK 25)"
  printf '%s\n' "$release" > "$jre/made-from"
}

build_runner() {
  local jar inputs work
  jar=$(find "$target" -maxdepth 1 -name 'runner-*.jar' ! -name '*-tests.jar' ! -name '*-sources.jar' 2>/dev/null)
  [ -f "$jar" ] || die "no runner in runner/target (run mvn -pl runner -am package)"
  inputs=$(cat "$jar" "$target"/lib/*.jar "$images"/runner/* "$JAVA_HOME/release" <(docker image inspect --format '{{.Id}}' sallyport/base:dev) | hash)
  up_to_date sallyport/runner:dev "$inputs" && return
  say "making sallyport/runner:dev"
  build_jre
  work=$(mktemp -d)
  mkdir "$work/lib"
  cp -r "$target/jre" "$images"/runner/* "$work"
  cp "$jar" "$target"/lib/*.jar "$work/lib"
  chmod -R u=rwX,go=rX "$work"
  DOCKER_BUILDKIT=0 docker build -q --network none --label "dev.sallyport.inputs=$inputs" -t sallyport/runner:dev "$work" >/dev/null \
    || die "could not build the runner image"
  rm -rf "$work"
}

build_base
build_runner
