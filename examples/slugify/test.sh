#!/bin/sh
# Prints one line a case and fails if any case fails.
failed=0

check() { # title, expected
  actual=$(sh ./slugify.sh "$1")
  if [ "$actual" = "$2" ]; then
    echo "ok    $1"
  else
    echo "FAIL  $1: expected '$2', got '$actual'"
    failed=1
  fi
}

check 'hello' 'hello'
check 'Hello World' 'hello-world'
check 'Hello, World!' 'hello-world'
check '  spaces around  ' 'spaces-around'

exit "$failed"
