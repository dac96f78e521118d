#!/bin/sh
# Turns a title into the part of an address that stands for it: slugify.sh "Hello, World!" prints hello-world.
printf '%s' "$1" | tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9' '-'
