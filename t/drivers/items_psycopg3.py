#!/usr/bin/env python3
"""Items through psycopg 3: parameters are bound, and most have a type."""
import decimal
import json
import uuid

import psycopg
from psycopg.types.json import Json, Jsonb

connection = psycopg.connect("", autocommit=True)


def one(sql, *values):
    return connection.execute(sql, values).fetchone()[0]


def check(what, got, wanted):
    assert got == wanted, f"{what}: got {got!r}, wanted {wanted!r}"


def refused(state, sql, *values):
    try:
        connection.execute(sql, values)
    except psycopg.Error as error:
        check(sql, error.sqlstate, state)
    else:
        raise AssertionError(f"not refused: {sql} {values!r}")


plain = {"n": 1.5, "s": "grün", "l": [1, None, True], "m": {"k": "v"}}
typed = '{"n": {"N": "1.5"}, "t": {"SS": ["a", "b"]}, "b": {"B": "AAE="}}'

# The types by themselves: bound as json, as jsonb, and without a type.
connection.execute("CREATE TEMP TABLE i (item ddb.item)")
for what, sql, value in [
        ("typed text", "%s", typed),
        ("Json", "%s", Json(plain)),
        ("Jsonb", "%s", Jsonb(plain)),
        ("binary Jsonb", "%b", Jsonb(plain)),
        ("text cast to doc", "%s::ddb.doc", json.dumps(plain))]:
    got = one(f"INSERT INTO i VALUES ({sql}) RETURNING item::jsonb", value)
    check(what, got, {"n": 1.5, "t": ["a", "b"], "b": "AAE="} if value is typed else plain)
refused("YD015", "INSERT INTO i VALUES (%s)", json.dumps(plain))
check("item as text", json.loads(one("SELECT %s::ddb.item", typed)), json.loads(typed))
for what, value in [("Json", Json({"n": 1.5})), ("Jsonb", Jsonb({"n": 1.5})), ("text", '{"n": 1.5}')]:
    check(what + " @>", one("SELECT %s::ddb.item @> %s", typed, value), True)
    check(what + " ||", one("SELECT (%s::ddb.item || %s) -> 'n'", typed, value), 1.5)
    check(what + " to_set", one("SELECT ddb.to_set(%s, VARIADIC '{}')::jsonb", value), {"n": 1.5})
check("attributes", one("SELECT (%s::ddb.item - %s) ->> %s", typed, "n", "b"), "AAE=")

# Items in tables, under keys of every kind that a program has in hand.
for table, kind, keys in [
        ("py3_s", "S", ["k", uuid.UUID(int=7)]),
        ("py3_n", "N", [7, 2**40, -1, decimal.Decimal("1.50"), "12"]),
        ("py3_b", "B", [b"\x00\x01\xff", "\\x62ff"])]:
    connection.execute(f"DROP TABLE IF EXISTS {table}")
    one("SELECT ddb.create_table(%s, partition_key => 'PK', sort_key => 'SK', partition_key_type => %s)", table, kind)
    for key in keys:
        connection.execute(f"INSERT INTO {table} VALUES (%s, 'plain', %s)", (key, Jsonb(plain)))
        got = one("SELECT ddb.get_item(%s, %s, 'plain')::jsonb", table, key)
        check(f"{table} {key!r}", {name: got[name] for name in plain}, plain)
one("SELECT ddb.create_table('py3_c', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N')")
for item in [Json(dict(plain, PK="k", SK=1)), Jsonb(dict(plain, PK="k", SK=1)), json.dumps(dict(plain, PK="k", SK=1))]:
    one("SELECT ddb.put_item('py3_c', %s)", item)
    check("put", one("SELECT ddb.get_item('py3_c', %s, %s)::jsonb", "k", 1), dict(plain, PK="k", SK=1))
one("SELECT ddb.put_item('py3_c', %s::ddb.item)", '{"PK": {"S": "t"}, "SK": {"N": "1"}, "set": {"NS": ["2", "1"]}}')
check("typed put", json.loads(one("SELECT ddb.get_item('py3_c', 't', 1)"))["set"], {"NS": ["1", "2"]})
for values in [Json({":n": 9}), Jsonb({":n": 9}), '{":n": 9}']:
    check("update", one("SELECT ddb.update_item('py3_c', %s, %s, update => 'SET n = :n', attr_values => %s) ->> 'n'",
                        "k", decimal.Decimal(1), values), "9")
connection.execute("DROP TABLE py3_s, py3_n, py3_b, py3_c")
