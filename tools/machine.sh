# Sourced by tools/check, tools/demo and tools/bench: what all of them need of
# the machine.
#
#   packages    installs what is missing of Debian's, without ever creating,
#               starting or restarting a server
#   workplace   makes $work (or the folder named), owned by $owner: nothing
#               outside it is written
#   build       copies the checkout to $work/ddb, PostgreSQL to $work/pg,
#               builds the one into the other; sets $bin and $PGCFG
#   server      starts a throwaway server; sets PGHOST, PGPORT, PGUSER
#
# PostgreSQL refuses to run as root, so a root caller's work is done by
# $owner; anyone else does it as himself.  Whatever was started is stopped and
# $work removed when the script ends, however it ends.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LC_ALL=C.UTF-8
unset PGHOST PGHOSTADDR PGPORT PGUSER PGDATABASE PGPASSWORD PGSERVICE PGOPTIONS PGDATA PG_COLOR
work= owner= bin= PGCFG= job= keep=

fail() { echo "$(basename "$0"): $*" >&2; exit 2; }

# The newest PostgreSQL of version 15 to 18 that could compile an extension.
find_postgres() {
	local v
	for v in 18 17 16 15; do
		if [[ -x /usr/lib/postgresql/$v/bin/postgres && -f /usr/lib/postgresql/$v/lib/pgxs/src/makefiles/pgxs.mk ]]; then
			echo "/usr/lib/postgresql/$v/bin/pg_config"; return
		fi
	done
}

as_root() { if [[ $(id -u) = 0 ]]; then "$@"; else sudo "$@"; fi; }

# packages PG_CONFIG PACKAGE...: installs the missing ones; with an empty
# PG_CONFIG also PostgreSQL itself.  An optional package is written ?NAME:
# where the distribution has none, or none that fits, it is done without.
packages() {
	local config=$1 p v needed=() optional=(); shift
	for p in "$@"; do
		[[ $(dpkg-query -W -f '${db:Status-Status}' "${p#\?}" 2>/dev/null) != installed ]] || continue
		if [[ $p = \?* ]]; then optional+=("${p#\?}"); else needed+=("$p"); fi
	done
	[[ -n $config && ${#needed[@]} = 0 && ${#optional[@]} = 0 ]] && return
	command -v apt-get >/dev/null || fail "no apt-get here; please install: ${needed[*]}"
	if [[ $(id -u) != 0 && -n $config && ${#needed[@]} = 0 ]]; then return; fi	# nobody is asked a password for these
	if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
		fail "neither root nor sudo; please install: postgresql postgresql-server-dev-all ${needed[*]}"
	fi
	if [[ -z $config || ${#needed[@]} != 0 ]]; then apt update || fail "apt-get update failed"; fi
	if [[ -z $config ]]; then
		v=$(apt-cache depends postgresql | sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p' | head -1)
		[[ $v ]] || fail "this distribution has no package postgresql"
		needed+=("postgresql-$v" "postgresql-server-dev-$v")
	fi
	if [[ ${#needed[@]} != 0 ]]; then install_quietly "${needed[@]}" || fail "apt-get install failed"; fi
	for p in "${optional[@]}"; do install_quietly "$p" 2>/dev/null || true; done
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -qq "$@"; }

# Debian's package would create and start a first cluster.  A file that lives
# for this one command tells it not to; what is configured stays as it is.
install_quietly() {
	local conf=/etc/postgresql-common/createcluster.d/ddb.conf log status=0
	log=$(mktemp)
	as_root mkdir -p "${conf%/*}"
	echo "create_main_cluster = false" | as_root tee "$conf" >/dev/null
	apt install -y --no-install-recommends --no-upgrade -o Dpkg::Options::=--force-confold "$@" >"$log" 2>&1 || status=$?
	as_root rm -f "$conf"
	if [[ $status = 0 ]]; then echo "packages    $*"; else cat "$log" >&2; fi
	rm -f "$log"
	return $status
}

# run COMMAND...: as $owner, in $work, in a process group of its own so that
# it can be stopped whole; its status is the command's.
run() {
	local status=0
	set -m
	if [[ $(id -u) = 0 ]]; then
		(cd "$work" && exec runuser -u "$owner" -- env HOME="$work" TMPDIR="$work/tmp" "$@") </dev/null &
	else
		(cd "$work" && exec env HOME="$work" TMPDIR="$work/tmp" "$@") </dev/null &
	fi
	job=$!
	set +m
	wait "$job" || status=$?
	job=
	return $status
}

# Stops every server whose data directory is beneath $work, by its pid.
stop_servers() {
	local file pid
	while read -r file; do
		pid=$(head -1 "$file" 2>/dev/null)
		[[ $pid =~ ^[0-9]+$ && $(readlink "/proc/$pid/cwd" 2>/dev/null) == "$work"/* ]] || continue
		kill -QUIT "$pid" 2>/dev/null || continue
		for _ in {1..100}; do [[ -d /proc/$pid ]] || break; sleep 0.05; done
	done < <(find "$work" -name postmaster.pid 2>/dev/null)
}

cleanup() {
	trap '' INT TERM HUP
	[[ -z $job ]] || kill -TERM -- "-$job" 2>/dev/null || true
	if [[ $work ]]; then
		if [[ $keep ]]; then [[ $keep = quietly ]] || echo "kept: $work"; return; fi
		stop_servers
		rm -rf "$work"
	fi
}

workplace() {
	if [[ $(id -u) = 0 ]]; then
		owner=postgres; id -u postgres >/dev/null 2>&1 || owner=nobody
	else
		owner=$(id -un)
	fi
	trap cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	if [[ ${1:-} ]]; then mkdir "$1"; work=$1
	else work=$(mktemp -d "${TMPDIR:-/tmp}/ddb-$(basename "$0").XXXXXX"); fi
	mkdir "$work/tmp" "$work/ddb"
	tar -C "$top" --exclude=./.git --exclude='*.o' --exclude='*.so' --exclude='*.bc' \
		--exclude=./results --exclude=./output_iso --exclude=./tmp_check --exclude=./log -cf - . | tar -C "$work/ddb" -xf -
	chmod 755 "$work"
	[[ $(id -u) != 0 ]] || chown -R "$owner:" "$work"
}

# build PG_CONFIG [MAKE ARGUMENTS]: false, with the log on the screen, if it fails.
build() {
	local config=$1; shift
	run "$work/ddb/tools/private-server" "$work/pg" "$config" >"$work/copy.log" 2>&1 ||
		{ cat "$work/copy.log"; return 1; }
	PGCFG=$(tail -1 "$work/copy.log"); bin=$(dirname "$PGCFG")
	run make -s -C "$work/ddb" -j"$(nproc)" install PG_CONFIG="$PGCFG" "$@" >"$work/build.log" 2>&1 ||
		{ cat "$work/build.log"; return 1; }
	echo "build       $("$PGCFG" --version), $(find "$top/src" -name '*.c' | wc -l) files"
}

# server NAME [CONFIGURATION LINE...]: UTF-8, no network, no durability.
server() {
	local name=$1; shift
	export PGHOST=$work/$name PGPORT=5432 PGUSER=postgres
	run mkdir -p "$work/$name"
	run "$bin/initdb" -D "$work/$name/data" -U postgres -E UTF8 --locale C.UTF-8 -A trust >"$work/$name.log" 2>&1 ||
		{ cat "$work/$name.log"; return 1; }
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$work/$name'" "port = 5432" \
		"fsync = off" "max_prepared_transactions = 10" "log_statement = none" "$@" |
		run_input tee -a "$work/$name/data/postgresql.conf" >/dev/null
	run "$bin/pg_ctl" -D "$work/$name/data" -l "$work/$name/log" -w start >>"$work/$name.log" 2>&1 ||
		{ cat "$work/$name/log" "$work/$name.log"; return 1; }
}

# As run, but with the caller's standard input and in the foreground.
run_input() {
	if [[ $(id -u) = 0 ]]; then
		(cd "$work" && exec runuser -u "$owner" -- env HOME="$work" TMPDIR="$work/tmp" "$@")
	else
		(cd "$work" && exec env HOME="$work" TMPDIR="$work/tmp" "$@")
	fi
}
