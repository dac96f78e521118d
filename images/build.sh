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
base=${SALLYPORT_BASE-mmdebstrap}
suite=trixie
# The last two are for the Java of a distribution, which brings no libraries of its own.
packages="bash ca-certificates coreutils diffutils findutils git grep less patch procps sed tar tini util-linux libstdc++6 zlib1g"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'images: %s\n' "$*" >&2; }
die() { say "$*"; exit 125; }

hash() { sha256sum | cut -d' ' -f1; }

up_to_date() { # image, inputs
  [ "$(docker image inspect --format '{{index .Config.Labels "dev.sallyport.inputs"}}' "$1" 2>/dev/null)" = "$2" ]
}

# The one place where a root file system becomes the base image, whichever way it was made. Runs with that file system as $1.
# shellcheck disable=SC2016 # another shell expands it
finish_root='
  set -eu
  find "$1" -xdev -type f -perm /6000 -exec chmod ug-s {} +
  # An engine holds these two in every container, and exports them empty.
  rm -f "$1"/etc/resolv.conf "$1"/etc/hostname 2>/dev/null || :
  rm -rf "$1"/etc/machine-id "$1"/etc/ssh "$1"/var/cache/* "$1"/var/log/* "$1"/tmp/* "$1"/root/.[!.]*
  # A workspace belongs to its child or to the host, never to the user that git expects.
  printf "[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n" > "$1"/etc/gitconfig
  mkdir -p "$1"/workspace "$1"/home/agent "$1"/run/sallyport
'

# name=version@sha256 of the archive that was installed; apt knows the hashes only while its lists are there.
# shellcheck disable=SC2016
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
    "$suite" "$1" ${SALLYPORT_MIRROR:+"$SALLYPORT_MIRROR"} || die "mmdebstrap could not make Debian $suite; see the lines above"
}

# The keys in the image verify what its apt installs, the digest verifies the image.
by_registry() { # root.tar
  local container=sallyport-base-$$
  docker pull -q "$base" >/dev/null 2>"$work/log" || die "could not pull $base: $(tail -n 1 "$work/log")"
  if docker run --name "$container" --entrypoint sh "$base" -ec "
      export DEBIAN_FRONTEND=noninteractive
      apt-get -q update
      # The archive has the hashes of what it has now.
      apt-get -qy dist-upgrade
      apt-get -qy install --no-install-recommends $packages
      $list_packages
      rm -rf /var/lib/apt/lists/*
      $finish_root" - / >"$work/log" 2>&1; then
    docker export "$container" >"$1"
  else
    cat "$work/log" >&2
  fi
  docker rm -f "$container" >/dev/null
  [ -s "$1" ] || die "could not make a base of $base; see the lines above"
}

build_base() {
  local inputs list
  inputs=$(printf '%s\n' "$base" "$suite" "$packages" "$finish_root" "$list_packages" | hash)
  up_to_date sallyport/base:dev "$inputs" && return
  say "making sallyport/base:dev ($base)"
  if [ "$base" = mmdebstrap ]; then by_mmdebstrap "$work/root.tar"; else by_registry "$work/root.tar"; fi
  list=$(tar -xOf "$work/root.tar" ./usr/share/sallyport/packages 2>/dev/null || tar -xOf "$work/root.tar" usr/share/sallyport/packages)
  docker import --change "LABEL dev.sallyport.inputs=$inputs" --change "LABEL dev.sallyport.packages=\"${list//$'\n'/ }\"" \
    --change 'ENV LANG=C.UTF-8' "$work/root.tar" sallyport/base:dev >/dev/null
}

# jlink keeps what the runner needs of the JDK: Jackson wants java.xml.
build_jre() {
  local jre=$target/jre release
  release=$(cat "$JAVA_HOME/release")
  [ "$(cat "$jre/made-from" 2>/dev/null)" = "$release" ] && return
  rm -rf "$jre"
  "$JAVA_HOME/bin/jlink" --add-modules java.base,java.xml --strip-java-debug-attributes --no-header-files --no-man-pages --output "$jre" \
    || die "jlink failed (expected: JAVA_HOME is a JDK 25)"
  printf '%s\n' "$release" > "$jre/made-from"
}

build_runner() {
  local jar inputs
  jar=$(find "$target" -maxdepth 1 -name 'runner-*.jar' ! -name '*-tests.jar' ! -name '*-sources.jar' 2>/dev/null)
  [ -f "$jar" ] || die "no runner in runner/target (run mvn -pl runner -am package)"
  inputs=$(cat "$jar" "$target"/lib/*.jar "$images"/runner/* "$JAVA_HOME/release" <(docker image inspect --format '{{.Id}}' sallyport/base:dev) | hash)
  up_to_date sallyport/runner:dev "$inputs" && return
  say "making sallyport/runner:dev"
  build_jre
  mkdir -p "$work/runner/lib"
  cp -r "$target/jre" "$images"/runner/* "$work/runner"
  cp "$jar" "$target"/lib/*.jar "$work/runner/lib"
  chmod -R u=rwX,go=rX "$work/runner"
  # Newer engines complain about this builder; the other one is a package of its own in some distributions.
  if ! DOCKER_BUILDKIT=0 docker build -q --force-rm --network none --label "dev.sallyport.inputs=$inputs" -t sallyport/runner:dev "$work/runner" \
    >"$work/log" 2>&1; then
    cat "$work/log" >&2
    die "could not build the runner image; see the lines above"
  fi
}

[[ $base =~ ^(mmdebstrap|[^@[:space:]]+@sha256:[0-9a-f]{64})$ ]] ||
  die "SALLYPORT_BASE: \`$base\` (expected: mmdebstrap or NAME@sha256:DIGEST)"
build_base
build_runner
