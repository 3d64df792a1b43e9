import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { preparedName } from '../prepared-names.ts'

/** How the queries of a pool are run. */
export type TimedOptions = {
  readonly queryMsMax: number
  /** Whether statements with a name are prepared: a pooler may give each query another session. */
  readonly prepares: boolean
}

/**
 * A pool whose queries have a time limit on this side of the connection. After it, the connection
 * is closed: a server that does not respond does not respond to a cancellation either.
 */
export function timedPool(pool: pg.Pool, options: TimedOptions): PostgresPool {
  return {
    options: pool.options,
    connect: async () => timedClient(await pool.connect(), options),
    end: () => pool.end(),
  }
}

function timedClient(
  client: pg.PoolClient,
  { queryMsMax, prepares }: TimedOptions,
): PostgresPoolClient {
  const query = async (sql: string, parameters: readonly unknown[]) => {
    let isDone = false
    const timer = setTimeout(() => {
      // After the sockets are read: when this process was stopped for a while, the response may
      // have arrived in the meantime.
      setImmediate(() => {
        if (!isDone) client.connection.stream.destroy()
      })
    }, queryMsMax)
    try {
      const name = prepares ? preparedName(sql) : undefined
      return await client.query({ name, text: sql, values: [...parameters] })
    } finally {
      isDone = true
      clearTimeout(timer)
    }
  }
  return {
    // Kysely's other signature is for cursors, which are not used.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  }
}
