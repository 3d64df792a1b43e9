import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { StorageUnavailable } from '../errors.ts'
import { changesRows } from './change.ts'
import type { Dialect } from './dialect.ts'
import type { SqliteConnection } from './sqlite/driver.ts'
import type { Statements } from './statements.ts'

/**
 * Wraps a driver. A full disk or a lost connection is thrown as StorageUnavailable, whatever the
 * database calls it, so that it differs from a bug. NUL characters in texts are replaced: mail and
 * callers may send them, and PostgreSQL cannot store them.
 */
export function guardedDriver(inner: Driver, dialect: Dialect): Driver {
  const guard = <T>(work: Promise<T>, commits?: () => boolean): Promise<T> =>
    guarded(work, dialect, commits)
  const connections = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const innerOf = (connection: DatabaseConnection) => connections.get(connection) ?? connection
  const transactions = new WeakMap<DatabaseConnection, 'open' | 'committing'>()

  const outerOf = (connection: DatabaseConnection): DatabaseConnection => ({
    executeQuery: <R>(query: CompiledQuery): Promise<QueryResult<R>> =>
      guard(
        connection.executeQuery<R>(cleaned(query)),
        () => !transactions.has(connection) && changesRows(query.sql),
      ),
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  })

  return {
    init: (options) => guard(inner.init(options)),
    acquireConnection: async (options) => {
      const connection = await guard(inner.acquireConnection(options))
      const outer = outerOf(connection)
      connections.set(outer, connection)
      return outer
    },
    beginTransaction: async (outer, settings) => {
      const connection = innerOf(outer)
      await guard(inner.beginTransaction(connection, settings))
      transactions.set(connection, 'open')
    },
    commitTransaction: async (outer) => {
      const connection = innerOf(outer)
      transactions.set(connection, 'committing')
      await guard(inner.commitTransaction(connection), () => true)
      transactions.delete(connection)
    },
    rollbackTransaction: async (outer) => {
      const connection = innerOf(outer)
      // After a COMMIT that got no response this gets none either, and Kysely throws its error.
      const isCommitting = transactions.get(connection) === 'committing'
      transactions.delete(connection)
      await guard(inner.rollbackTransaction(connection), () => isCommitting)
    },
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
  const run = async <Row>(sql: string, parameters: readonly unknown[]) =>
    (await connection.runWhenFree<Row>(sql, withoutNul(parameters))).rows
  return {
    run: (sql, parameters) => guarded(run(sql, parameters), dialect, () => changesRows(sql)),
  }
}

/** `commits`: the failed work was a commit, so its outcome is unknown. */
async function guarded<T>(
  work: Promise<T>,
  dialect: Dialect,
  commits: () => boolean = () => false,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    const unavailable = dialect.unavailability(error)
    if (unavailable === null) throw error
    const { full, isRefused } = unavailable
    throw new StorageUnavailable(error, full, !isRefused && commits())
  }
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
