import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/**
 * A pool whose queries have a time limit on this side of the connection. When it is over, the
 * connection is closed: a server that does not answer does not answer a cancellation either.
 */
export function timedPool(pool: pg.Pool, queryMsMax: number): PostgresPool {
  return {
    options: pool.options,
    connect: async () => timedClient(await pool.connect(), queryMsMax),
    end: () => pool.end(),
  }
}

function timedClient(client: pg.PoolClient, queryMsMax: number): PostgresPoolClient {
  const query = async (sql: string, parameters: readonly unknown[]) => {
    let isDone = false
    const timer = setTimeout(() => {
      // After the sockets are read: when this process was stopped for a while, the answer may
      // have arrived in the meantime.
      setImmediate(() => {
        if (!isDone) client.connection.stream.destroy()
      })
    }, queryMsMax)
    try {
      return await client.query(sql, [...parameters])
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
