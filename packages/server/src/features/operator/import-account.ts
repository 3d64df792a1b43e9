import type { AccountId } from '@mayfly/contract'
import { OperatorRefused } from '../../errors.ts'
import type { SecretBox } from '../../platform/secret-box.ts'
import { earlierId } from '../../sortable-id.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Store } from '../../store/open.ts'
import type { AnyRow } from '../../store/tables/account-rows.ts'
import { cellOfKey } from '../rules/cell.ts'
import { type MovedRow, type MoveHeader, readMoveFile } from './move-file.ts'

export type ImportDeps = {
  readonly store: Store
  readonly secretBox: () => Promise<SecretBox>
  readonly schema: number
  /** The name of this cell; null without one. */
  readonly cell: string | null
}

/** An account that was read from a file. */
export type Imported = {
  readonly email: string
  /** The cell that has it now. */
  readonly cell: string
  /** The numbers of its rows by their tables. */
  readonly counts: Readonly<Record<string, number>>
  /** Beginnings of keys that the proxy must send to this cell from now on. */
  readonly keyPrefixes: readonly string[]
}

/** Rows that are added in one transaction, and characters of their columns. */
const BATCH_ROWS = 100
const BATCH_CHARS = 4 * 1024 * 1024

/**
 * Adds an account from the file of an export, and opens it at the end.
 *
 * Until then it is closed, as in the cell that it comes from. Rows that are there already stay as
 * they are, so that an import that was interrupted is just run again.
 */
export async function importAccount(deps: ImportDeps, path: string): Promise<Imported> {
  const { store } = deps
  const counts: Record<string, number> = {}
  const keyPrefixes: string[] = []
  let header: MoveHeader | null = null
  let firstMessage: string | null = null
  const rows = readMoveFile(path, async (found) => {
    header = found
    await requireImportable(deps, found)
  })
  for await (const batch of batchesOf(rows)) {
    const { account } = requireHeader(header, path)
    await addBatch(deps, account, batch)
    for (const { table, row } of batch) {
      counts[table] = (counts[table] ?? 0) + 1
      if (table === 'api_key' && needsRoute(deps, row)) keyPrefixes.push(String(row['prefix']))
      if (table === 'message') firstMessage = lower(firstMessage, String(row['id']))
    }
  }
  const { account, email, to: cell } = requireHeader(header, path)
  // The index counts as complete up to later messages.
  if (firstMessage !== null) await store.search.goBackTo(earlierId(firstMessage, 0))
  await store.operator.setMoving(account, null)
  return { email, cell, counts, keyPrefixes }
}

async function requireImportable(deps: ImportDeps, header: MoveHeader): Promise<void> {
  const { store, schema, cell } = deps
  if (header.schema !== schema) {
    throw new OperatorRefused('The export is from another version. Run the same in both cells.')
  }
  if (header.to !== cell) {
    throw new OperatorRefused(
      `The export is for the cell "${header.to}", and MAYFLY_CELL is ${cell === null ? 'not set' : `"${cell}"`}.`,
    )
  }
  const byId = await store.operator.findAccount(header.account)
  if (byId !== null && byId.movingTo === null) {
    throw new OperatorRefused(`${header.email} is in this cell already.`)
  }
  const byEmail = await store.operator.findAccount(header.email)
  if (byEmail !== null && byEmail.id !== header.account) {
    throw new OperatorRefused(`This cell has another account ${header.email}. Purge it first.`)
  }
}

function requireHeader(header: MoveHeader | null, path: string): MoveHeader {
  if (header === null) throw new OperatorRefused(`${path} is not an export of an account.`)
  return header
}

/** Rows of one table each, as many as one transaction adds. */
async function* batchesOf(rows: AsyncIterable<MovedRow>): AsyncGenerator<readonly MovedRow[]> {
  let batch: MovedRow[] = []
  let chars = 0
  for await (const moved of rows) {
    const isFull = batch.length >= BATCH_ROWS || chars >= BATCH_CHARS
    if (batch.length > 0 && (isFull || batch[0]?.table !== moved.table)) {
      yield batch
      batch = []
      chars = 0
    }
    batch.push(moved)
    for (const value of Object.values(moved.row)) {
      if (typeof value === 'string' || value instanceof Uint8Array) chars += value.length
    }
  }
  if (batch.length > 0) yield batch
}

async function addBatch(
  { store, secretBox }: ImportDeps,
  account: AccountId,
  batch: readonly MovedRow[],
): Promise<void> {
  const table = batch[0]?.table
  if (table === undefined) return
  const box = table === 'webhook' ? await secretBox() : null
  const rows = batch.map(({ row }) =>
    box === null ? row : { ...row, secret_sealed: box.seal(String(row['secret_sealed'])) },
  )
  await store.transaction(async (tx) => {
    await tx.operator.rows.add(table, rows)
    if (table === 'address' || table === 'custom_domain') {
      await requireOwn(tx, account, { table, rows })
    }
  })
}

async function requireOwn(
  tx: Tables,
  account: AccountId,
  {
    table,
    rows,
  }: { readonly table: 'address' | 'custom_domain'; readonly rows: readonly AnyRow[] },
): Promise<void> {
  const [name] = await tx.operator.rows.claimedByOthers(account, table, rows)
  if (name !== undefined) {
    throw new OperatorRefused(`${name} belongs to another account of this cell. Remove it first.`)
  }
}

/** Whether the proxy knows the key by the name of another cell, or by none. */
function needsRoute({ cell }: ImportDeps, row: AnyRow): boolean {
  return row['revoked_at'] === null && cellOfKey(String(row['prefix'])) !== cell
}

const lower = (one: string | null, other: string) => (one === null || other < one ? other : one)
