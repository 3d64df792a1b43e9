import type { AccountId } from '@mayfly/contract'
import { OperatorRefused } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { SecretBox } from '../../platform/secret-box.ts'
import type { Store } from '../../store/open.ts'
import type { AnyRow, PagedTable } from '../../store/tables/account-rows.ts'
import type { AccountEntry } from '../../store/tables/operator.ts'
import { LOCAL_ACCOUNT, OPERATOR_ACCOUNT } from '../rules/own-ids.ts'
import { type MovedRow, MoveFileWriter } from './move-file.ts'
import { getAccount } from './target.ts'

export type ExportDeps = {
  readonly store: Store
  readonly clock: Clock
  /** Opens the secrets of webhooks, which the other cell seals with its own key. */
  readonly secretBox: () => Promise<SecretBox>
  readonly schema: number
  readonly pause: (ms: number) => Promise<void>
}

/** An account that was written to a file. */
export type Exported = { readonly account: AccountEntry; readonly rows: number }

/** Rows of a page, and bytes of its mails unless the first has more. */
const PAGE_ROWS = 50
const PAGE_BYTES = 8 * 1024 * 1024

/** Calls that were authenticated before the account was closed have ended by then. */
const SETTLE_MS = 2_000

/** How often and how long attempts of webhooks are waited for. */
const LEASED_PAUSE_MS = 200
const LEASED_MS_MAX = 20_000

/**
 * Writes an account to a file, for another cell to import.
 *
 * The account is closed first, and stays so: mail for it gets 451, calls and open waits 503, which
 * clients repeat. So the file is one state of it, however long it takes and however often it is
 * interrupted.
 */
export async function exportAccount(
  deps: ExportDeps,
  request: { readonly account: string; readonly to: string; readonly path: string },
): Promise<Exported> {
  const account = await getAccount(deps.store, request.account)
  requireMovable(account, request.to)
  const { id, email } = account
  const header = { account: id, email, to: request.to, schema: deps.schema }
  await using file = await MoveFileWriter.open(request.path, header)
  await close(deps, account, request.to)
  for await (const row of rowsOf(deps, id, file)) await file.add(row)
  return { account, rows: await file.end() }
}

function requireMovable({ id, email, movingTo }: AccountEntry, to: string): void {
  if (id === OPERATOR_ACCOUNT || id === LOCAL_ACCOUNT) {
    throw new OperatorRefused(`${email} is an account that each cell has; it cannot be moved.`)
  }
  if (movingTo !== null && movingTo !== to) {
    throw new OperatorRefused(
      `${email} is being moved to ${movingTo}. \`mayfly admin resume ${email}\` cancels that.`,
    )
  }
}

/** Closes an account, and waits until nothing changes it any more. */
async function close({ store, clock, pause }: ExportDeps, account: AccountEntry, to: string) {
  if (account.movingTo === null) {
    await store.operator.setMoving(account.id, to)
    await pause(SETTLE_MS)
  }
  // Transactions that store mail, and have not seen that it is closed.
  await store.transaction((tx) => tx.operator.lockInboxes(account.id))
  for (let waited = 0; waited < LEASED_MS_MAX; waited += LEASED_PAUSE_MS) {
    if ((await store.operator.countLeased(account.id, clock.now())) === 0) return
    await pause(LEASED_PAUSE_MS)
  }
}

async function* rowsOf(
  deps: ExportDeps,
  id: AccountId,
  { written, lastTable }: Pick<MoveFileWriter, 'written' | 'lastTable'>,
): AsyncGenerator<MovedRow> {
  // The parts of mails are written before their messages.
  const { mailParts, pagedTables } = deps.store.operator.rows
  const isPart = mailParts.some((part) => part === lastTable)
  const tables: readonly (string | null)[] = pagedTables
  const first = tables.indexOf(isPart ? 'message' : lastTable)
  for (const table of pagedTables.slice(Math.max(0, first))) {
    let after = written.get(table) ?? null
    for (;;) {
      const page = await readPage(deps, id, { table, after })
      if (table === 'message') yield* mailsOf(deps, page)
      for (const row of page) yield { table, row: await withSecret(deps, table, row) }
      after = page.at(-1) ?? null
      if (after === null) break
    }
  }
}

async function readPage(
  { store }: ExportDeps,
  id: AccountId,
  { table, after }: { readonly table: PagedTable; readonly after: AnyRow | null },
): Promise<readonly AnyRow[]> {
  const rows = await store.operator.rows.page(id, table, { after, limit: PAGE_ROWS })
  if (table !== 'message') return rows
  let bytes = 0
  const end = rows.findIndex((row, place) => {
    bytes += Number(row['size_bytes'])
    return place > 0 && bytes > PAGE_BYTES
  })
  return end < 0 ? rows : rows.slice(0, end)
}

async function* mailsOf(
  { store }: ExportDeps,
  messages: readonly AnyRow[],
): AsyncGenerator<MovedRow> {
  const ids = [...new Set(messages.map((row) => String(row['mail_id'])))]
  const { rows } = store.operator
  for (const table of rows.mailParts) {
    for (const row of await rows.mailRows(table, ids)) yield { table, row }
  }
}

/** The secret of a webhook in the clear: the other cell has another key. */
async function withSecret(deps: ExportDeps, table: PagedTable, row: AnyRow): Promise<AnyRow> {
  if (table !== 'webhook') return row
  const secret = (await deps.secretBox()).open(String(row['secret_sealed']))
  return { ...row, secret_sealed: secret }
}
