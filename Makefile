# ddb: make, make install, make installcheck (pg_regress and isolation specs),
# make prove_installcheck (TAP).  Any server of version 15 to 18.

EXTENSION = ddb
MODULE_big = ddb
DATA = ddb--1.0.sql

OBJS = $(sort $(patsubst %.c,%.o,$(wildcard src/*/*.c)))
DDB_HEADERS = $(wildcard src/*/*.h) $(wildcard src/*/*.inc)

PG_CPPFLAGS = -I$(srcdir)/src
PG_CFLAGS = -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-declaration-after-statement -Wno-cast-function-type \
	-Wno-clobbered -fno-semantic-interposition $(DDB_CFLAGS)

REGRESS = $(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=ddb --encoding=UTF8
ISOLATION = $(sort $(patsubst specs/%.spec,%,$(wildcard specs/*.spec)))
ISOLATION_OPTS = --load-extension=ddb --encoding=UTF8

# Bitcode would need clang on every machine that builds ddb, and buys nothing.
override with_llvm = no
PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# A header changed means a rebuild: PGXS tracks no dependencies by itself.
$(OBJS): $(DDB_HEADERS)

# The TAP tests start servers of their own, so they are not part of
# installcheck, which speaks to the one that runs; they need an installed ddb
# and, as PostgreSQL does, a caller who is not root.
PROVE_TESTS ?= t/*.pl
.PHONY: prove_installcheck
prove_installcheck:
	$(prove_installcheck)
