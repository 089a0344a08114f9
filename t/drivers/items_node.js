#!/usr/bin/env node
// Items through node-pg: objects become JSON text without a type, numbers
// text, and a Buffer is sent in binary.
const assert = require('assert')
const { Client } = require('pg')

const plain = { n: 1.5, s: 'grün', l: [1, null, true], m: { k: 'v' } }
const typed = '{"n": {"N": "1.5"}, "t": {"SS": ["a", "b"]}, "b": {"B": "AAE="}}'

async function main () {
  const client = new Client()
  await client.connect()
  const one = async (sql, ...values) => Object.values((await client.query(sql, values)).rows[0])[0]
  const check = async (wanted, sql, ...values) => assert.deepStrictEqual(await one(sql, ...values), wanted, sql)
  const refused = (code, sql, ...values) => assert.rejects(client.query(sql, values), { code }, sql)

  // The types by themselves.
  await client.query('CREATE TEMP TABLE i (item ddb.item)')
  await check({ n: 1.5, t: ['a', 'b'], b: 'AAE=' }, 'INSERT INTO i VALUES ($1) RETURNING item::jsonb', typed)
  for (const type of ['json', 'jsonb', 'ddb.doc']) {
    await check(plain, `INSERT INTO i VALUES ($1::${type}) RETURNING item::jsonb`, plain)
  }
  await refused('YD015', 'INSERT INTO i VALUES ($1)', plain)
  assert.deepStrictEqual(JSON.parse(await one('SELECT $1::ddb.item', typed)), JSON.parse(typed))
  for (const value of [{ n: 1.5 }, '{"n": 1.5}', Buffer.from('{"n": 1.5}')]) {
    await check(true, 'SELECT $1::ddb.item @> $2', typed, value)
    await check(1.5, "SELECT ($1::ddb.item || $2) -> 'n'", typed, value)
  }
  await check('{"t": {"SS": ["a", "b"]}}', "SELECT ddb.to_set($1, 't')", { t: ['b', 'a'] })
  await refused('22P03', 'SELECT $1::ddb.item', Buffer.from('no item'))

  // Items in tables, under keys of every kind that a program has in hand.
  for (const [table, kind, keys] of [
    ['node_s', 'S', ['k', '00000000-0000-0000-0000-000000000007', Buffer.from('bytes of text')]],
    ['node_n', 'N', [7, 2 ** 40, -1, 1.5, '12', 12345678901234567890n]],
    ['node_b', 'B', [Buffer.from([0, 1, 255]), '\\x62ff']]]) {
    await client.query(`DROP TABLE IF EXISTS ${table}`)
    await one("SELECT ddb.create_table($1, partition_key => 'PK', sort_key => 'SK', partition_key_type => $2)", table, kind)
    for (const key of keys) {
      await client.query(`INSERT INTO ${table} VALUES ($1, 'plain', $2::jsonb)`, [key, plain])
      const got = await one("SELECT ddb.get_item($1, $2, 'plain')::jsonb", table, key)
      delete got.PK
      delete got.SK
      assert.deepStrictEqual(got, plain, `${table} ${key}`)
    }
  }
  await one("SELECT ddb.create_table('node_c', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N')")
  const item = { PK: 'k', SK: 1, ...plain }
  for (const value of [item, JSON.stringify(item), Buffer.from(JSON.stringify(item))]) {
    await one("SELECT ddb.put_item('node_c', $1)", value)
    await check(item, "SELECT ddb.get_item('node_c', $1, $2)::jsonb", 'k', 1)
  }
  await one("SELECT ddb.put_item('node_c', $1::ddb.item)", { PK: { S: 't' }, SK: { N: '1' }, set: { NS: ['2', '1'] } })
  await check('{"NS": ["1", "2"]}', "SELECT (ddb.get_item('node_c', 't', 1)::text::json -> 'set')::text")
  await check('9', "SELECT ddb.update_item('node_c', $1, $2, update => 'SET n = :n', attr_values => $3) ->> 'n'", 'k', 1, { ':n': 9 })
  await client.query('DROP TABLE node_s, node_n, node_b, node_c')
  await client.end()
}

main().catch(error => { console.error(error); process.exit(1) })
