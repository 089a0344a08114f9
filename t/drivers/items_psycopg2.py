#!/usr/bin/env python3
"""Items through psycopg2: every parameter is a literal in the statement's text."""
import decimal
import json
import uuid

import psycopg2
import psycopg2.extras
from psycopg2.extras import Json

psycopg2.extras.register_uuid()
connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()


def one(sql, *values):
    cursor.execute(sql, values)
    return cursor.fetchone()[0]


def check(what, got, wanted):
    assert got == wanted, f"{what}: got {got!r}, wanted {wanted!r}"


def refused(state, sql, *values):
    try:
        cursor.execute(sql, values)
    except psycopg2.Error as error:
        check(sql, error.pgcode, state)
    else:
        raise AssertionError(f"not refused: {sql} {values!r}")


plain = {"n": 1.5, "s": "grün", "l": [1, None, True], "m": {"k": "v"}}
typed = '{"n": {"N": "1.5"}, "t": {"SS": ["a", "b"]}, "b": {"B": "AAE="}}'

# The types by themselves.
one("CREATE TEMP TABLE i (item ddb.item); SELECT 1")
for what, sql, value in [
        ("typed text", "%s", typed),
        ("Json cast to jsonb", "%s::jsonb", Json(plain)),
        ("Json cast to json", "%s::json", Json(plain)),
        ("text cast to doc", "%s::ddb.doc", json.dumps(plain))]:
    got = one(f"INSERT INTO i VALUES ({sql}) RETURNING item::jsonb", value)
    check(what, got, {"n": 1.5, "t": ["a", "b"], "b": "AAE="} if value is typed else plain)
refused("YD015", "INSERT INTO i VALUES (%s)", Json(plain))
check("item as text", json.loads(one("SELECT %s::ddb.item", typed)), json.loads(typed))
for what, value in [("Json", Json({"n": 1.5})), ("text", '{"n": 1.5}')]:
    check(what + " @>", one("SELECT %s::ddb.item @> %s", typed, value), True)
    check(what + " ||", one("SELECT (%s::ddb.item || %s) -> 'n'", typed, value), 1.5)
check("to_set", json.loads(one("SELECT ddb.to_set(%s, 't')", Json({"t": ["b", "a"]}))), {"t": {"SS": ["a", "b"]}})
check("attributes", one("SELECT (%s::ddb.item - %s) ->> %s", typed, "n", "b"), "AAE=")

# Items in tables, under keys of every kind that a program has in hand.
for table, kind, keys in [
        ("py2_s", "S", ["k", uuid.UUID(int=7)]),
        ("py2_n", "N", [7, 2**40, -1, decimal.Decimal("1.50"), "12"]),
        ("py2_b", "B", [b"\x00\x01\xff", psycopg2.Binary(b"b"), "\\x62ff"])]:
    cursor.execute(f"DROP TABLE IF EXISTS {table}")
    one("SELECT ddb.create_table(%s, partition_key => 'PK', sort_key => 'SK', partition_key_type => %s)", table, kind)
    for key in keys:
        cursor.execute(f"INSERT INTO {table} VALUES (%s, 'plain', %s::jsonb)", (key, Json(plain)))
        got = one("SELECT ddb.get_item(%s, %s, 'plain')::jsonb", table, key)
        check(f"{table} {key!r}", {name: got[name] for name in plain}, plain)
one("SELECT ddb.create_table('py2_c', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N')")
for item in [Json(dict(plain, PK="k", SK=1)), json.dumps(dict(plain, PK="k", SK=1))]:
    one("SELECT ddb.put_item('py2_c', %s)", item)
    check("put", one("SELECT ddb.get_item('py2_c', %s, %s)::jsonb", "k", 1), dict(plain, PK="k", SK=1))
one("SELECT ddb.put_item('py2_c', %s::ddb.item)", '{"PK": {"S": "t"}, "SK": {"N": "1"}, "set": {"NS": ["2", "1"]}}')
check("typed put", json.loads(one("SELECT ddb.get_item('py2_c', 't', 1)"))["set"], {"NS": ["1", "2"]})
check("update", one("SELECT ddb.update_item('py2_c', %s, %s, update => 'SET n = :n', attr_values => %s) ->> 'n'",
                    "k", decimal.Decimal(1), Json({":n": 9})), "9")
cursor.execute("DROP TABLE py2_s, py2_n, py2_b, py2_c")
