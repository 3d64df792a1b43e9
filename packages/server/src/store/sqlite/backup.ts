import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorRefused } from '../../errors.ts'

/** The files of a backup, and what they contain. */
export type Backup = {
  readonly path: string
  /** The copy of the secret key; null when the key is configured instead of stored in a file. */
  readonly keyPath: string | null
  readonly sizeBytes: number
  readonly accounts: number
  readonly inboxes: number
  readonly messages: number
}

/** How long the copy waits for a checkpoint of the running service. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Copies an SQLite store and its key file; a service may run on it meanwhile.
 *
 * The copy is a snapshot: it is read in one transaction, and the service can continue writing. It
 * is checked and synced before it gets its name, so that a file of that name is complete.
 */
export function backUpSqlite(source: string, target: string): Backup {
  for (const path of [target, keyPathOf(target)]) {
    if (existsSync(path)) throw new OperatorRefused(`${path} exists. Choose another name.`)
  }
  const draft = `${target}.part`
  const database = new DatabaseSync(source, { readOnly: true })
  try {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    createDraft(draft)
    database.prepare('vacuum into ?').run(draft)
  } finally {
    database.close()
  }
  const content = checkCopy(draft)
  syncToDisk(draft)
  const keyPath = copyKey(source, target)
  renameSync(draft, target)
  syncToDisk(dirname(target))
  return { path: target, keyPath, sizeBytes: statSync(target).size, ...content }
}

/** Creates an empty file with restricted permissions: it will hold keys and mail. */
function createDraft(draft: string): void {
  const folder = dirname(draft)
  if (!existsSync(folder)) throw new OperatorRefused(`There is no folder ${folder}. Create it.`)
  try {
    rmSync(draft, { force: true })
    closeSync(openSync(draft, 'wx', 0o600))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorRefused(`The folder ${folder} cannot be written: ${reason}.`)
  }
}

/** The file of a generated key. */
const keyPathOf = (path: string): string => `${path}.key`

function copyKey(source: string, target: string): string | null {
  const [from, to] = [keyPathOf(source), keyPathOf(target)]
  if (!existsSync(from)) return null
  copyFileSync(from, to, constants.COPYFILE_EXCL)
  chmodSync(to, 0o600)
  syncToDisk(to)
  return to
}

function checkCopy(path: string): Pick<Backup, 'accounts' | 'inboxes' | 'messages'> {
  const copy = new DatabaseSync(path, { readOnly: true })
  try {
    const verdict = Object.values(copy.prepare('pragma quick_check').get() ?? {})[0]
    if (verdict !== 'ok') throw new OperatorRefused(`The copy is damaged: ${String(verdict)}.`)
    const count = (table: string) =>
      Number(Object.values(copy.prepare(`select count(*) from ${table}`).get() ?? {})[0])
    return { accounts: count('account'), inboxes: count('inbox'), messages: count('message') }
  } finally {
    copy.close()
  }
}

/** Syncs a file, or the names of the files of a folder, so that they survive a power cut. */
function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
