import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createClient } from '../src/index.ts'
import { type FakeMayfly, startFakeMayfly } from './testing-fake-mayfly.ts'

describe('the key of a service on this machine', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-local-key-'))
  })
  after(() => rm(folder, { recursive: true }))

  /** The answer of the service: the file with its key. */
  async function names(mayfly: FakeMayfly, text: string | null): Promise<string> {
    const file = join(folder, `${text?.length}`)
    if (text !== null) await writeFile(file, text)
    mayfly.script.push({ status: 200, body: { localKeyFile: file } })
    return file
  }

  it('is looked for once, before the first calls', async () => {
    await using mayfly = await startFakeMayfly()
    await names(mayfly, 'mf_live_abc-DEF_123\n')
    const client = createClient({ baseUrl: mayfly.baseUrl })
    assert.equal(mayfly.calls.length, 0)
    await Promise.all([client.inboxes.list(), client.inboxes.list()])
    await client.inboxes.list()
    assert.deepEqual(
      mayfly.calls.map(({ path, headers }) => `${path} ${headers.authorization}`),
      [
        '/v1/service undefined',
        ...Array.from({ length: 3 }, () => '/v1/inboxes Bearer mf_live_abc-DEF_123'),
      ],
    )
  })

  it('is not asked for when a key is given, or the service is elsewhere', async () => {
    await using mayfly = await startFakeMayfly()
    await createClient({ baseUrl: mayfly.baseUrl, apiKey: 'mf_test_key' }).inboxes.list()
    assert.deepEqual(
      mayfly.calls.map(({ path }) => path),
      ['/v1/inboxes'],
    )
    for (const baseUrl of [
      'https://mayfly.example',
      'http://127.0.0.1.example',
      'http://10.0.0.1',
    ]) {
      assert.throws(() => createClient({ baseUrl }), /^MayflyError: There is no API key\./)
    }
  })

  it('is nothing else that a file contains, and the next call looks again', async () => {
    await using mayfly = await startFakeMayfly()
    const client = createClient({ baseUrl: mayfly.baseUrl })
    const secret = await names(mayfly, 'root:x:0:0\nmf_live_abc\n')
    await assert.rejects(client.inboxes.list(), {
      name: 'MayflyError',
      message: new RegExp(`^There is no API key\\. .* is not in ${secret}, or cannot be read`),
    })
    await names(mayfly, null)
    await assert.rejects(client.inboxes.list(), /is not in .*, or cannot be read/)
    mayfly.script.push({ status: 200, body: { localKeyFile: null } })
    await assert.rejects(client.inboxes.list(), /The service has no account for this machine\.$/)
    assert.ok(mayfly.calls.every(({ headers }) => headers.authorization === undefined))
    await names(mayfly, 'mf_test_later')
    await client.inboxes.list()
    assert.equal(mayfly.calls.at(-1)?.headers.authorization, 'Bearer mf_test_later')
  })
})
