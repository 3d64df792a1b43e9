import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CompiledQuery, type DatabaseConnection, type Driver } from 'kysely'
import { StorageUnavailable } from '../errors.ts'
import { type Dialect, postgresDialect, sqliteDialect } from './dialect.ts'
import { guardedDriver } from './guarded-driver.ts'
import { SQLITE } from './sqlite/result-codes.ts'

type Step = 'query' | 'commit' | 'rollback'

/** A guarded driver whose database fails with this error at these steps. */
function failing(dialect: Dialect, error: Error, ...steps: readonly Step[]): Driver {
  const step = async (name: Step) => {
    if (steps.includes(name)) throw error
  }
  const connection: DatabaseConnection = {
    executeQuery: async () => {
      await step('query')
      return { rows: [] }
    },
    streamQuery: () => assert.fail('no stream'),
  }
  const inner: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: async () => {},
    commitTransaction: () => step('commit'),
    rollbackTransaction: () => step('rollback'),
    releaseConnection: async () => {},
    destroy: async () => {},
  }
  return guardedDriver(inner, dialect)
}

/** Whether the change may have been made, after this work failed. */
async function isUncertain(work: Promise<unknown>): Promise<boolean> {
  const error = await work.catch((thrown: unknown) => thrown)
  assert.ok(error instanceof StorageUnavailable)
  return error.isUncertain
}

const LOST = new Error('Connection terminated unexpectedly')
const answered = (code: string) => Object.assign(new Error('from the server'), { code })
const ofSqlite = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode })

/** A transaction as Kysely runs it: the error of a ROLLBACK replaces that of the COMMIT. */
async function transact(driver: Driver, sql: string): Promise<void> {
  const connection = await driver.acquireConnection()
  await driver.beginTransaction(connection, {})
  try {
    await connection.executeQuery(CompiledQuery.raw(sql))
    await driver.commitTransaction(connection)
  } catch (error) {
    await driver.rollbackTransaction(connection)
    throw error
  }
}

async function query(driver: Driver, sql: string): Promise<void> {
  const connection = await driver.acquireConnection()
  await connection.executeQuery(CompiledQuery.raw(sql))
}

const UPDATE = 'update "inbox" set "state" = $1'

describe('a change whose storage fails', () => {
  it('is uncertain when its COMMIT got no response', async () => {
    for (const error of [LOST, answered('ECONNRESET'), answered('57P01'), answered('08006')]) {
      const driver = failing(postgresDialect, error, 'commit', 'rollback')
      assert.equal(await isUncertain(transact(driver, UPDATE)), true, error.message)
    }
    const disk = failing(sqliteDialect, ofSqlite(SQLITE.IOERR), 'commit')
    assert.equal(await isUncertain(transact(disk, UPDATE)), true)
  })

  it('was not made when the database refuses the COMMIT', async () => {
    for (const code of ['53100', '40P01']) {
      const driver = failing(postgresDialect, answered(code), 'commit')
      assert.equal(await isUncertain(transact(driver, UPDATE)), false, code)
    }
    for (const code of [SQLITE.FULL, SQLITE.BUSY]) {
      const driver = failing(sqliteDialect, ofSqlite(code), 'commit')
      assert.equal(await isUncertain(transact(driver, UPDATE)), false, String(code))
    }
  })

  it('was not made when the connection is lost earlier in the transaction', async () => {
    const driver = failing(postgresDialect, LOST, 'query', 'rollback')
    assert.equal(await isUncertain(transact(driver, UPDATE)), false)
  })

  it('is uncertain when a single statement got no response, unless it only reads', async () => {
    const driver = failing(postgresDialect, LOST, 'query')
    for (const sql of [UPDATE, 'with a as (insert into "b" values (1)) select 1']) {
      assert.equal(await isUncertain(query(driver, sql)), true, sql)
    }
    assert.equal(await isUncertain(query(driver, 'select "updated_at" from "inbox"')), false)
    const slow = failing(postgresDialect, answered('57014'), 'query')
    assert.equal(await isUncertain(query(slow, UPDATE)), false)
  })

  it('is judged anew by the next transaction of the same connection', async () => {
    const driver = failing(postgresDialect, LOST, 'query')
    await assert.rejects(transact(driver, UPDATE), StorageUnavailable)
    assert.equal(await isUncertain(query(driver, UPDATE)), true)
    assert.equal(await isUncertain(transact(driver, UPDATE)), false)
  })
})
