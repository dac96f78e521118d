#!/bin/bash
# A provider of tools for tests, speaking MCP over stdio: extension.sh TOOL...
#
# It offers TOOL... from the start; one that is written +TOOL it registers right after it was asked for the first time. Every call is
# noted in the file $CALLS (/tmp/calls) and answered with "NAME ran". Some names do more: `register` and `withdraw` add or take away
# what the argument `tool` says; `later` adds it after `seconds`, while nobody calls; `leave` ends without an answer; `sleep` answers
# after `seconds`.
# Reads what our client writes: compact JSON, one message a line.
calls=${CALLS:-/tmp/calls}
state=$(mktemp -d)
: >"$state/tools"
for tool in "$@"; do
  case $tool in
    +*) echo "${tool#+}" >>"$state/late" ;;
    *) echo "$tool" >>"$state/tools" ;;
  esac
done

say() { printf '%s\n' "$1"; }

reply() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }

changed() { say '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'; }

argument() { [[ $line =~ \"$1\":\"?([A-Za-z0-9_.-]+) ]] && printf '%s' "${BASH_REMATCH[1]}"; }

list() {
  local name tools=
  while read -r name; do
    tools+=${tools:+,}"{\"name\":\"$name\",\"description\":\"for tests\",\"inputSchema\":{\"type\":\"object\"}}"
  done < <(grep . "$state/tools")
  reply "{\"tools\":[$tools]}"
  if [ -f "$state/late" ]; then
    cat "$state/late" >>"$state/tools"
    rm "$state/late"
    changed
  fi
}

call() {
  local name
  name=$(argument name)
  echo "$name" >>"$calls"
  case $name in
    register) argument tool >>"$state/tools"; echo >>"$state/tools"; changed ;;
    withdraw) sed -i "/^$(argument tool)\$/d" "$state/tools"; changed ;;
    later) (
      tool=$(argument tool)
      sleep "$(argument seconds)"
      echo "$tool" >>"$state/tools"
      changed
    ) & ;;
    sleep) sleep "$(argument seconds)" ;;
    leave) exit 0 ;;
  esac
  reply "{\"content\":[{\"type\":\"text\",\"text\":\"$name ran\"}]}"
}

while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  case $line in
    *'"method":"initialize"'*)
      reply '{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"test","version":"1"}}'
      ;;
    *'"method":"tools/list"'*) list ;;
    *'"method":"tools/call"'*) call ;;
  esac
done
