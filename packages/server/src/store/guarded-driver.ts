import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { StorageUnavailable } from '../errors.ts'
import type { Dialect } from './dialect.ts'

/**
 * A driver whose failures for want of storage are told apart from our mistakes: a full disk
 * or a lost connection surfaces as StorageUnavailable, whatever the database calls it. Texts go
 * in without NUL, which PostgreSQL cannot hold and mail and callers may bring.
 */
export function guardedDriver(inner: Driver, dialect: Dialect): Driver {
  const guard = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const unavailable = dialect.unavailability(error)
      throw unavailable === null ? error : new StorageUnavailable(error, unavailable.full)
    }
  }
  const connections = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const guarded = (connection: DatabaseConnection): DatabaseConnection => ({
    executeQuery: <R>(query: CompiledQuery): Promise<QueryResult<R>> =>
      guard(connection.executeQuery<R>(withoutNul(query))),
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

function withoutNul(query: CompiledQuery): CompiledQuery {
  const isWith = (value: unknown) => typeof value === 'string' && value.includes('\0')
  if (!query.parameters.some(isWith)) return query
  const parameters = query.parameters.map((value) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value,
  )
  return { ...query, parameters }
}
