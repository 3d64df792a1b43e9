import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import { onEachDatabase } from '../../test/testing-databases.ts'
import { startTcpProxy } from '../../test/testing-tcp-proxy.ts'
import { until } from '../../test/testing-until.ts'
import { StorageUnavailable } from '../errors.ts'
import { openStore } from '../store/open.ts'
import { openNodeSignals } from './node-signals.ts'

const INBOX = 'inb_1' as InboxId // A brand by hand: the test needs a fixed id.

onEachDatabase('nodes on one database', (create, name) => {
  if (name !== 'PostgreSQL') return

  it('ignore notifications that are not theirs', async () => {
    await using database = await create()
    const store = await openStore({ url: database.url, exclusive: false })
    const seen: InboxId[] = []
    const foreign: number[] = []
    const open = (node: string) =>
      openNodeSignals({
        url: database.url,
        node,
        onSignal: (inboxIds) => seen.push(...inboxIds),
        onMessage: () => {},
        onForeign: (count) => foreign.push(count),
        onReconnect: () => {},
        onLost: () => {},
        onError: () => {},
      })
    const [one, two] = [open('one'), open('two')]
    const payloads = ['garbage', '', 'null', '{"node":"x","inboxIds":7}', '{"node":"x"}', '[[]]']
    await until(async () => {
      for (const payload of payloads) {
        await store.execute(`select pg_notify('mayfly_inboxes', '${payload}')`)
      }
      one.announce([INBOX])
      return seen.length > 0 && foreign.length >= 2 * payloads.length ? true : null
    })
    await one.close()
    await two.close()
    await store.close()
    assert.ok(seen.every((id) => id === INBOX))
    // Each of the two counts from 1.
    assert.equal(foreign.filter((count) => count === 1).length, 2)
  })

  it('hear each other again after a connection went silent', async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    const seen: InboxId[] = []
    let reconnected = 0
    const open = (node: string, url: string) =>
      openNodeSignals({
        url,
        node,
        onSignal: (inboxIds) => seen.push(...inboxIds),
        onMessage: () => {},
        onForeign: () => {},
        onReconnect: () => {
          reconnected += 1
        },
        onLost: () => {},
        onError: () => {},
      })
    const [speaker, listener] = [open('one', database.url), open('two', proxy.url)]
    const hears = async () => {
      speaker.announce([INBOX])
      return seen.length > 0 ? true : null
    }
    await until(hears)
    proxy.failAll('silence')
    await until(async () => (reconnected > 0 ? true : null))
    // What was announced before and had not arrived yet does not count.
    seen.length = 0
    await until(hears)
    assert.equal(reconnected, 1)
    await speaker.close()
    await listener.close()
  })

  it('are told that messages of a node were lost while it had no connection', async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    const seen: unknown[] = []
    const open = (node: string, url: string) =>
      openNodeSignals({
        url,
        node,
        onSignal: () => {},
        onMessage: (message) => seen.push(message),
        onForeign: () => {},
        onReconnect: () => {},
        onLost: () => seen.push('lost'),
        onError: () => {},
      })
    const [speaker, listener] = [open('one', proxy.url), open('two', database.url)]
    await until(async () => {
      speaker.send({ number: 1 })
      return seen.some((message) => message !== 'lost') ? true : null
    })
    seen.length = 0
    proxy.failAll('cut')
    speaker.send({ number: 2 })
    await until(async () => (seen.includes('lost') ? true : null))
    await speaker.close()
    await listener.close()
  })

  it('hear each other, and can be closed, after LISTEN got no response', async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    const seen: InboxId[] = []
    const open = (node: string, url: string) =>
      openNodeSignals({
        url,
        node,
        onSignal: (inboxIds) => seen.push(...inboxIds),
        onMessage: () => {},
        onForeign: () => {},
        onReconnect: () => {},
        onLost: () => {},
        onError: () => {},
      })
    const silent = () => proxy.failAt('listen', 'silence', 'before')
    const speaker = open('one', database.url)
    const silenced = silent()
    const listener = open('two', proxy.url)
    await silenced
    await until(async () => {
      speaker.announce([INBOX])
      return seen.length > 0 ? true : null
    })
    const silencedAgain = silent()
    const closed = open('three', proxy.url)
    await silencedAgain
    for (const node of [closed, speaker, listener]) await node.close()
  })

  it('survive the loss of a connection between two statements of a transaction', async () => {
    await using database = await create()
    const open = () => openStore({ url: database.url, exclusive: false })
    const [lost, other] = [await open(), await open()]
    const work = lost.transaction(async (tx) => {
      await tx.operator.databaseTime()
      await other.execute(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
      // Until another connection is answered: by then the end of this one has been read.
      await other.ping()
      await other.ping()
      await tx.operator.databaseTime()
    })
    await assert.rejects(work, StorageUnavailable)
    await lost.ping()
    await lost.close()
    await other.close()
  })
})
