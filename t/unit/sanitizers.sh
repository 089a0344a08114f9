#!/bin/bash
# Items, JSON and expressions under the address and undefined-behaviour
# sanitizers: the fuzzers' seeds, and small changes of each.
set -e
cd "$(dirname "$0")/../../tools/fuzz"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
make -s ENGINE=replay CC=gcc BUILD="$build" PG_CONFIG="${PG_CONFIG:-pg_config}"
for target in item typed plain expr; do
	"$build/fuzz_$target" 1000 corpus/$target/*
done
