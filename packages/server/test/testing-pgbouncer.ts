import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './testing-free-port.ts'
import { until } from './testing-until.ts'

const PROGRAM = process.env['PGBOUNCER_PATH'] ?? '/usr/sbin/pgbouncer'

/** Starts Debian's PgBouncer in transaction mode, in front of the database of this URL. */
export async function startPgBouncer(url: string): Promise<AsyncDisposable & { url: string }> {
  const target = new URL(url)
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-pgbouncer-'))
  // It gives up root's rights, and must read its files after that.
  await chmod(folder, 0o755)
  const port = await freePort()
  const users = join(folder, 'users.txt')
  await writeFile(users, `"${target.username}" "${target.password}"\n`)
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 10
`,
  )
  const isRoot = process.getuid?.() === 0
  const child = spawn(PROGRAM, [...(isRoot ? ['--user=postgres'] : []), settings], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const failed = once(child, 'error').then(([error]) => Promise.reject(error))
  const proxied = new URL(url)
  proxied.port = String(port)
  await Promise.race([failed, until(() => isAnswering(proxied.href))])
  return {
    url: proxied.href,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Sets the time limits that the service needs for the role, which a pooler does not pass on. In
 * this database alone: the server may be shared with other tests.
 */
export async function limitSessions(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const settings = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  for (const setting of settings) {
    const database = new URL(url).pathname.slice(1)
    await client.query(`alter role mayfly in database ${database} set ${setting} = '5s'`)
  }
  // Connections of the pooler from before have the old settings.
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await client.end()
}

async function isAnswering(url: string): Promise<true | null> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    return true
  } catch {
    return null
  } finally {
    await client.end()
  }
}
