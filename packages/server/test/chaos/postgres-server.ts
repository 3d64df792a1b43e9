// One PostgreSQL server with a disk of its own.

import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { chmod, chown, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../testing-free-port.ts'
import { connected, crashPostgres, loadEmbeddedPostgres } from '../testing-postgres.ts'

/** A server that is started, crashed and made anew. */
export type Server = AsyncDisposable & {
  readonly url: string
  readonly data: string
  /** Makes an empty one. */
  initialise(): Promise<void>
  start(): Promise<void>
  crash(): Promise<void>
  /** Becomes the standby with this name of a server that runs; resolves before it follows it. */
  copyFrom(primary: Server, name: string): Promise<void>
  /** Takes all space of the disk, and returns what frees it; null without a disk of its own. */
  fillDisk(): (() => Promise<void>) | null
}

const MiB = 1024 * 1024

/** Sizes of the disks for the tables, which a fault fills, and for the log. */
const DISK_MIB = 256
const LOG_MIB = 2_048

/** Of a primary that must not be in its copy. */
const OWN_FILES = ['postmaster.pid', 'postmaster.opts', 'postgresql.auto.conf', 'pg_wal']

/** Of a copy, for its recovery. */
const NEW_FILES = ['backup_label', 'standby.signal']

const FLAGS = {
  // A crash of the server alone loses nothing that it has written.
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  listen_addresses: '127.0.0.1',
  // A standby finds all that it missed.
  wal_keep_size: '256MB',
  max_wal_size: '256MB',
  wal_retrieve_retry_interval: '100ms',
  // Commits that began to wait when the standby became synchronous wait for its next report.
  wal_receiver_status_interval: '1s',
}

/** A server on a free port; nothing is started. */
export async function createServer(): Promise<Server> {
  const port = await freePort()
  const url = `postgres://mayfly:mayfly@127.0.0.1:${port}/postgres`
  const folder = join(tmpdir(), `mayfly-chaos-${randomBytes(6).toString('hex')}`)
  for (const path of [folder, `${folder}-wal`]) {
    await mkdir(path)
    // PostgreSQL's user creates its own folder there.
    await chmod(path, 0o777)
  }
  // In memory: what else the machine writes to its disk must not be part of a run.
  const isMounted = mountDisk(folder, DISK_MIB) && mountDisk(`${folder}-wal`, LOG_MIB)
  const data = join(folder, 'data')
  // Apart: a server whose log finds no space ends, and does not start before there is some.
  const log = join(`${folder}-wal`, 'log')
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const options = {
    databaseDir: data,
    port,
    user: 'mayfly',
    password: 'mayfly',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      ...['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', `--waldir=${log}`],
      // The password is checked at each connection.
      ...['-c', 'scram_iterations=1'],
    ],
    onLog: () => {},
    onError: () => {},
  }
  const start = (flags: Readonly<Record<string, string>>) => {
    const all = { ...FLAGS, unix_socket_directories: data, ...flags }
    const postgresFlags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    return new EmbeddedPostgres({ ...options, postgresFlags }).start()
  }
  const crash = async () => {
    if (existsSync(join(data, 'postmaster.pid'))) await crashPostgres(data)
  }
  return {
    url,
    data,
    initialise: () => new EmbeddedPostgres(options).initialise(),
    start: () => start({}),
    crash,
    copyFrom: async (primary, name) => {
      await rm(data, { recursive: true, force: true })
      await copyData(primary, data)
      await rm(log, { recursive: true, force: true })
      await mkdir(log)
      await symlink(log, join(data, 'pg_wal'))
      const { uid, gid } = await stat(primary.data)
      for (const path of [log, ...NEW_FILES.map((name) => join(data, name))]) {
        await chown(path, uid, gid)
      }
      const { port: primaryPort } = new URL(primary.url)
      const conninfo = `host=127.0.0.1 port=${primaryPort} user=mayfly password=mayfly`
      // It resolves when the server accepts writes: after its promotion, if ever.
      start({ primary_conninfo: `${conninfo} application_name=${name}` }).catch(() => {})
    },
    fillDisk: () => (isMounted ? fill(join(folder, 'filler')) : null),
    [Symbol.asyncDispose]: async () => {
      await crash()
      for (const path of [folder, `${folder}-wal`]) {
        if (isMounted) execFileSync('umount', [path])
        await rm(path, { recursive: true, force: true })
      }
    },
  }
}

/** Mounts a small disk; false when that is not allowed. */
function mountDisk(folder: string, sizeMiB: number): boolean {
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', folder]
    execFileSync('mount', options, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function fill(file: string): () => Promise<void> {
  const descriptor = openSync(file, 'w')
  const chunk = Buffer.alloc(MiB)
  try {
    for (;;) if (writeSync(descriptor, chunk) < chunk.length) break
  } catch {
    // Full.
  }
  closeSync(descriptor)
  return () => rm(file)
}

/** Copies the files of a server that runs, as PostgreSQL's documentation of base backups says. */
async function copyData(primary: Server, data: string): Promise<void> {
  await connected(primary.url, async (client) => {
    await client.query(`select pg_backup_start('standby', true)`)
    await new Promise<void>((resolve) => {
      // Files that vanish meanwhile make its status 1, and are not needed.
      execFile('cp', ['-a', primary.data, data], () => resolve())
    })
    for (const name of OWN_FILES) await rm(join(data, name), { recursive: true, force: true })
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(false)',
    )
    await writeFile(join(data, 'backup_label'), rows[0]?.labelfile ?? '')
    await writeFile(join(data, 'standby.signal'), '')
  })
}
