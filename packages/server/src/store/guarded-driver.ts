import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { StorageUnavailable } from '../errors.ts'
import type { Dialect } from './dialect.ts'
import type { SqliteConnection } from './sqlite/driver.ts'
import type { Statements } from './statements.ts'

/**
 * Wraps a driver. A full disk or a lost connection is thrown as StorageUnavailable, whatever the
 * database calls it, so that it differs from a bug. NUL characters in texts are replaced: mail and
 * callers may send them, and PostgreSQL cannot store them.
 */
export function guardedDriver(inner: Driver, dialect: Dialect): Driver {
  const guard = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw storageError(error, dialect)
    }
  }
  const connections = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const guarded = (connection: DatabaseConnection): DatabaseConnection => ({
    executeQuery: <R>(query: CompiledQuery): Promise<QueryResult<R>> =>
      guard(connection.executeQuery<R>(cleaned(query))),
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  })
  const innerOf = (connection: DatabaseConnection) => connections.get(connection) ?? connection

  return {
    init: (options) => guard(inner.init(options)),
    acquireConnection: async (options) => {
      const connection = await guard(inner.acquireConnection(options))
      const outer = guarded(connection)
      connections.set(outer, connection)
      return outer
    },
    beginTransaction: (connection, settings) =>
      guard(inner.beginTransaction(innerOf(connection), settings)),
    commitTransaction: (connection) => guard(inner.commitTransaction(innerOf(connection))),
    rollbackTransaction: (connection) => guard(inner.rollbackTransaction(innerOf(connection))),
    releaseConnection: (connection, options) =>
      inner.releaseConnection(innerOf(connection), options),
    destroy: (options) => inner.destroy(options),
  }
}

/** The same for hand-written statements on the one connection of SQLite. */
export function guardedStatements(
  connection: Pick<SqliteConnection, 'runWhenFree'>,
  dialect: Dialect,
): Statements {
  return {
    run: async <Row>(sql: string, parameters: readonly unknown[]) => {
      try {
        return (await connection.runWhenFree<Row>(sql, withoutNul(parameters))).rows
      } catch (error) {
        throw storageError(error, dialect)
      }
    },
  }
}

function storageError(error: unknown, dialect: Dialect): unknown {
  const unavailable = dialect.unavailability(error)
  return unavailable === null ? error : new StorageUnavailable(error, unavailable.full)
}

function cleaned(query: CompiledQuery): CompiledQuery {
  const parameters = withoutNul(query.parameters)
  return parameters === query.parameters ? query : { ...query, parameters }
}

/** The same list if there is no NUL in it. A parameter may be an array of texts. */
function withoutNul(parameters: readonly unknown[]): readonly unknown[] {
  const hasNul = (value: unknown): boolean =>
    typeof value === 'string' ? value.includes('\0') : Array.isArray(value) && value.some(hasNul)
  if (!parameters.some(hasNul)) return parameters
  return parameters.map((value) => {
    if (Array.isArray(value)) return withoutNul(value)
    return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value
  })
}
