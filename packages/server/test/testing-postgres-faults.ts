import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** A PostgreSQL server whose processes can be stopped. */
export type StoppablePostgres = {
  /** Stops every process of the server: nothing is answered, and no connection is closed. */
  freeze(): void
  /** Lets them go on. */
  thaw(): void
}

/** Finds the processes of the server at this URL, which must run on this machine. */
export async function stoppablePostgres(url: string): Promise<StoppablePostgres> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ data_directory: string }>('show data_directory')
  await client.end()
  const file = readFileSync(join(rows[0]?.data_directory ?? '', 'postmaster.pid'), 'utf8')
  const postmaster = Number(file.split('\n')[0])
  const signalChildren = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const child of childrenOf(postmaster)) process.kill(child, name)
  }
  return {
    freeze: () => {
      // The parent first: it starts a process for each new connection.
      process.kill(postmaster, 'SIGSTOP')
      signalChildren('SIGSTOP')
    },
    thaw: () => {
      // The parent last: as long as it is stopped, the id of a process that has ended stays valid.
      signalChildren('SIGCONT')
      process.kill(postmaster, 'SIGCONT')
    },
  }
}

function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}
