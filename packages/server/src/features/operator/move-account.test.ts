import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, it } from 'node:test'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenDeliveries,
  givenInbox,
  givenMail,
  givenRefusal,
  givenUnscanned,
  givenWebhook,
  NOW,
} from '../../../test/testing-store.ts'
import { createIds } from '../../platform/ids.ts'
import { createSecretBox } from '../../platform/secret-box.ts'
import type { Store } from '../../store/open.ts'
import type { AnyRow } from '../../store/tables/account-rows.ts'
import { issueKey } from '../accounts/keys.ts'
import { type ExportDeps, exportAccount } from './export-account.ts'
import { type ImportDeps, importAccount } from './import-account.ts'

const clock = { now: () => NOW }
const ids = createIds(clock, 'c1')
const OLD_BOX = createSecretBox(Buffer.alloc(32, 1))
const NEW_BOX = createSecretBox(Buffer.alloc(32, 2))

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-move-'))
})
afterEach(() => rm(folder, { recursive: true }))

function exporting(store: Store): ExportDeps {
  return { store, clock, secretBox: async () => OLD_BOX, schema: 1, pause: async () => {} }
}

function importing(store: Store): ImportDeps {
  return { store, secretBox: async () => NEW_BOX, schema: 1, cell: 'c2' }
}

const exportTo = (store: Store, path: string) =>
  exportAccount(exporting(store), { account: ALICE, to: 'c2', path })

/** An account with something in most tables: mail of its own, and mail that Bob has, too. */
async function givenAccount(store: Store): Promise<{ prefix: string }> {
  const webhook = await givenWebhook(store, ALICE)
  const sealed = OLD_BOX.seal('whsec_abc')
  await store.execute(`update webhook set secret_sealed = '${sealed}'`)
  const { key } = await issueKey({ store, clock, ids }, ALICE, {
    ...{ name: 'CI', environment: 'live', role: 'admin' },
  })
  for (let i = 0; i < 3; i++) {
    const inbox = await givenInbox(store, { owner: ALICE })
    for (let n = 0; n < 40; n++) await givenMail(store, inbox.id)
    await givenUnscanned(store, inbox.id)
    await givenRefusal(store, inbox.id, { at: NOW, detail: 'too large' })
    await givenDeliveries(store, { owner: ALICE, webhookId: webhook, count: 5, inboxId: inbox.id })
  }
  const other = await givenInbox(store, { owner: BOB })
  await givenMail(store, other.id)
  return { prefix: key.prefix }
}

/** All rows of the account, in the order of their tables. */
async function allRows(store: Store): Promise<Record<string, readonly AnyRow[]>> {
  const all: Record<string, readonly AnyRow[]> = {}
  const { rows } = store.operator
  for (const table of rows.pagedTables) {
    all[table] = await rows.page(ALICE, table, { after: null, limit: 10_000 })
  }
  const mailIds = (all['message'] ?? []).map((row) => String(row['mail_id']))
  for (const part of rows.mailParts) {
    const found = await rows.mailRows(part, mailIds)
    all[part] = found.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  // Closed in one cell, open in the other; and sealed by another key.
  for (const row of all['account'] ?? []) Object.assign(row, { moving_to: null })
  for (const row of all['webhook'] ?? []) Object.assign(row, { secret_sealed: '' })
  return all
}

/** A store in which Alice has no account. */
async function without(open: () => Promise<Store>): Promise<Store> {
  const store = await open()
  await store.operator.deleteAccount(ALICE)
  return store
}

describeEachDatabase('moving an account', (open) => {
  it('copies all its rows and no others, and reseals the secrets of webhooks', async () => {
    const [from, to] = [await open(), await without(open)]
    const { prefix } = await givenAccount(from)
    const path = join(folder, 'alice')
    const { rows, account } = await exportTo(from, path)
    assert.equal(account.email, 'acc_alice@example.com')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    const imported = await importAccount(importing(to), path)
    assert.deepEqual(await allRows(to), await allRows(from))
    const sum = Object.values(imported.counts).reduce((total, count) => total + count, 0)
    assert.deepEqual([sum, imported.counts['message']], [rows, 123])
    // The key names the cell that it comes from.
    assert.deepEqual(imported.keyPrefixes, [prefix])
    const [webhook] = await to.operator.rows.page(ALICE, 'webhook', { after: null, limit: 1 })
    assert.equal(NEW_BOX.open(String(webhook?.['secret_sealed'])), 'whsec_abc')
    const [closed, opened] = await Promise.all(
      [from, to].map((store) => store.operator.findAccount(ALICE)),
    )
    assert.deepEqual([closed?.movingTo, opened?.movingTo], ['c2', null])
    const none = await to.operator.rows.page(BOB, 'inbox', { after: null, limit: 1 })
    assert.deepEqual(none, [])
  })

  it('continues an export that was interrupted anywhere, as if it had not been', async () => {
    const from = await open()
    await givenAccount(from)
    const whole = join(folder, 'whole')
    await exportTo(from, whole)
    const text = await readFile(whole)
    const expected = new Set(text.toString().split('\n'))
    for (const part of [0, 0.1, 0.4, 0.6, 0.8, 0.95, 0.999]) {
      const path = join(folder, `part${part}`)
      await writeFile(path, text.subarray(0, Math.floor(text.length * part)))
      await exportTo(from, path)
      const lines = (await readFile(path, 'utf8')).split('\n')
      const isEnd = (line: string) => line.startsWith('{"end"')
      // The parts of some mails may be there twice, and the count at the end with them.
      assert.deepEqual(
        new Set(lines.filter((line) => !isEnd(line))),
        new Set([...expected].filter((line) => !isEnd(line))),
      )
      assert.ok(isEnd(lines.at(-2) ?? ''))
    }
  })

  it('continues an import that was interrupted, with nothing lost or doubled', async () => {
    const [from, to] = [await open(), await without(open)]
    await givenAccount(from)
    const path = join(folder, 'alice')
    await exportTo(from, path)
    for (const transactions of [1, 5, 8]) {
      let left = transactions
      const transaction: Store['transaction'] = (...work) => {
        left -= 1
        if (left < 0) throw new Error('interrupted')
        return to.transaction(...work)
      }
      const interrupted = importAccount(importing({ ...to, transaction }), path)
      await assert.rejects(interrupted, /interrupted/)
      assert.equal((await to.operator.findAccount(ALICE))?.movingTo, 'c2')
    }
    await importAccount(importing(to), path)
    assert.deepEqual(await allRows(to), await allRows(from))
    await assert.rejects(importAccount(importing(to), path), /is in this cell already/)
  })

  it('adds imported messages to the search index', async () => {
    const [from, to] = [await open(), await without(open)]
    await givenAccount(from)
    const path = join(folder, 'alice')
    await exportTo(from, path)
    await to.search.setIndexedTo('msg_zzzz')
    await importAccount(importing(to), path)
    assert.equal((await to.search.listUnindexed(1_000)).length, 123)
  })

  it('refuses a file that is not complete, and keeps the account closed', async () => {
    const [from, to] = [await open(), await without(open)]
    await givenAccount(from)
    const path = join(folder, 'alice')
    await exportTo(from, path)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/\{"end".*\n$/, ''))
    await assert.rejects(importAccount(importing(to), path), /not complete. Run the export again/)
    assert.equal((await to.operator.findAccount(ALICE))?.movingTo, 'c2')
  })

  it('refuses another cell, an email or an address that is taken, and a foreign file', async () => {
    const from = await open()
    await givenInbox(from, { owner: ALICE, address: 'x@mayfly.test' })
    const path = join(folder, 'alice')
    await exportTo(from, path)
    const other = { ...importing(await without(open)), cell: 'c3' }
    await assert.rejects(importAccount(other, path), /for the cell "c2", and MAYFLY_CELL is "c3"/)
    const occupied = await without(open)
    await givenInbox(occupied, { owner: BOB, address: 'x@mayfly.test' })
    const refused = importAccount(importing(occupied), path)
    await assert.rejects(refused, /x@mayfly.test belongs to another account/)
    const email = 'acc_alice@example.com'
    const taken = await without(open)
    const id = 'acc_other' as typeof ALICE // A brand by hand.
    await taken.accounts.add({ id, email, name: null, plan: 'unlimited', createdAt: NOW })
    await assert.rejects(importAccount(importing(taken), path), /has another account acc_alice@/)
    const foreign = join(folder, 'foreign')
    await writeFile(foreign, '{"some":"thing"}\n')
    await assert.rejects(importAccount(importing(taken), foreign), /not an export/)
    await assert.rejects(exportTo(from, path), /is complete/)
    const toOther = { account: ALICE, to: 'c3', path: foreign }
    await assert.rejects(exportAccount(exporting(from), toOther), /is being moved to c2/)
  })
})
