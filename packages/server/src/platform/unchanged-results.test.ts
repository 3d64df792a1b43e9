import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UnchangedResults } from './unchanged-results.ts'

const BOUNDS = { entriesMax: 3, bytesMax: 100, bytesOf: (text: string) => text.length }

type Data = { version: number | null; text: string; queries: number }

/** Data that a test changes, and its queries, which say how often they ran. */
function given({ hasVersion = true } = {}) {
  const data: Data = { version: 1, text: 'a', queries: 0 }
  const unchanged = new UnchangedResults(hasVersion ? () => data.version : null)
  const table = unchanged.table<string>(BOUNDS)
  const read = async (lasts = true) => {
    data.queries += 1
    return { result: data.text, lasts }
  }
  return { data, unchanged, table, read }
}

describe('results that are remembered', () => {
  it('are given again, at once, until the data changes', async () => {
    const { data, table, read } = given()
    assert.equal(await table.get('k', read), 'a')
    assert.equal(table.get('k', read), 'a')
    assert.equal(data.queries, 1)
    Object.assign(data, { version: 2, text: 'b' })
    assert.equal(await table.get('k', read), 'b')
    assert.equal(table.get('k', read), 'b')
    assert.equal(data.queries, 2)
  })

  it('are apart by key and by table', async () => {
    const { unchanged, table, read } = given()
    await table.get('k', read)
    const other = unchanged.table<string>(BOUNDS)
    assert.equal(table.atLastLook('k'), 'a')
    assert.equal(table.atLastLook('l'), undefined)
    assert.equal(other.atLastLook('k'), undefined)
  })

  it('are not those of a query during which the data changed', async () => {
    const { data, table } = given()
    const read = async () => {
      const { text } = data
      await null
      Object.assign(data, { version: 2, text: 'b' })
      return { result: text, lasts: true }
    }
    assert.equal(await table.get('k', read), 'a')
    assert.equal(table.atLastLook('k'), undefined)
  })

  it('are not those of a query that began before a change that was seen meanwhile', async () => {
    const { data, unchanged, table } = given()
    const answered = Promise.withResolvers<{ result: string; lasts: boolean }>()
    const old = table.get('k', () => answered.promise)
    data.version = 2
    unchanged.look()
    answered.resolve({ result: 'a', lasts: true })
    assert.equal(await old, 'a')
    assert.equal(table.atLastLook('k'), undefined)
  })

  it('are forgotten in all tables with the first look after a change', async () => {
    const { data, unchanged, table, read } = given()
    await table.get('k', read)
    data.version = 2
    await unchanged.table<string>(BOUNDS).get('other', read)
    assert.equal(table.atLastLook('k'), undefined)
  })

  it('are not those that may differ without a change, nor those of a failure', async () => {
    const { data, table, read } = given()
    await table.get('k', () => read(false))
    assert.equal(table.atLastLook('k'), undefined)
    const fail = async () => assert.fail('the disk is gone')
    await assert.rejects(async () => table.get('k', fail), /the disk is gone/)
    await table.get('k', read)
    assert.equal(data.queries, 2)
  })

  it('are not there while the version is not known', async () => {
    const { data, unchanged, table, read } = given()
    await table.get('k', read)
    data.version = null
    await table.get('k', read)
    assert.equal(data.queries, 2)
    data.version = 1
    unchanged.look()
    assert.equal(table.atLastLook('k'), undefined, 'a change may have come and gone')
  })

  it('are not there where there is no version', async () => {
    const { data, table, read } = given({ hasVersion: false })
    for (let i = 0; i < 3; i++) await table.get('k', read)
    assert.equal(data.queries, 3)
    assert.equal(table.atLastLook('k'), undefined)
  })

  it('are bounded in number and size, the oldest out', async () => {
    const { data, table, read } = given()
    const known = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => table.atLastLook(key))
    for (const key of ['a', 'b', 'c', 'd']) await table.get(key, read)
    assert.deepEqual(known(), ['b', 'c', 'd'])
    data.text = 'x'.repeat(97)
    await table.get('e', read)
    assert.deepEqual(known(), ['d', 'e'])
    data.text = 'x'.repeat(100)
    await table.get('a', read)
    assert.deepEqual(known(), [], 'too large with its key, even alone')
    data.text = 'x'.repeat(99)
    await table.get('a', read)
    assert.deepEqual(known(), ['a'], 'the bytes of those that are gone do not count')
  })

  it('are counted once when several ask for the same at the same time', async () => {
    const { data, table, read } = given()
    data.text = 'x'.repeat(60)
    await Promise.all([table.get('a', read), table.get('a', read), table.get('a', read)])
    data.text = 'x'.repeat(38)
    await table.get('b', read)
    assert.deepEqual([table.atLastLook('a')?.length, table.atLastLook('b')?.length], [60, 38])
  })
})
