import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { loadSecretKey } from './secret-key.ts'

const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index))

describe('the secret key', () => {
  let directory: string
  let file: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'secret-key-'))
    file = join(directory, 'data', 'secret.key')
  })
  afterEach(() => rm(directory, { recursive: true }))

  for (const configured of [
    KEY.toString('hex'),
    KEY.toString('hex').toUpperCase(),
    KEY.toString('base64'),
    KEY.toString('base64url'),
    ` ${KEY.toString('base64')}\n`,
  ]) {
    it(`is read from ${JSON.stringify(configured.slice(0, 12))}… and no file is made`, async () => {
      assert.deepEqual(await loadSecretKey({ configured, file }), KEY)
      assert.deepEqual(await readdir(directory), [])
    })
  }

  const MALFORMED = [
    '',
    'short',
    KEY.toString('hex').slice(1),
    `${KEY.toString('hex')}0`,
    '*'.repeat(43),
  ]
  for (const configured of [...MALFORMED, KEY.subarray(1).toString('base64')]) {
    it(`is not ${JSON.stringify(configured.slice(0, 12))}…, and is not quoted`, async () => {
      await assert.rejects(loadSecretKey({ configured, file }), {
        message: 'The secret key is not 32 bytes in base64 or hex',
      })
    })
  }

  it('is made once, for its owner alone, and read ever after', async () => {
    const first = await loadSecretKey({ configured: null, file })
    assert.equal(first.length, 32)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.deepEqual(await loadSecretKey({ configured: null, file }), first)
    assert.deepEqual(await readdir(join(directory, 'data')), ['secret.key'])
  })

  it('is another one in another place', async () => {
    const first = await loadSecretKey({ configured: null, file })
    const second = await loadSecretKey({ configured: null, file: `${file}-2` })
    assert.notDeepEqual(first, second)
  })

  it('is one key when many make it at the same time', async () => {
    const loads = Array.from({ length: 20 }, () => loadSecretKey({ configured: null, file }))
    const keys = (await Promise.all(loads)).map((key) => key.toString('hex'))
    assert.equal(new Set(keys).size, 1)
    assert.equal(Buffer.from(await readFile(file, 'utf8'), 'base64').toString('hex'), keys[0])
    assert.deepEqual(await readdir(join(directory, 'data')), ['secret.key'])
  })

  it('is never replaced when the file cannot be read as one', async () => {
    const damaged = join(directory, 'damaged.key')
    await writeFile(damaged, 'half a k')
    await assert.rejects(
      loadSecretKey({ configured: null, file: damaged }),
      /damaged\.key is not 32/,
    )
    assert.equal(await readFile(damaged, 'utf8'), 'half a k')
    await assert.rejects(loadSecretKey({ configured: null, file: directory }), { code: 'EISDIR' })
  })

  it('must be configured where no file may be made', async () => {
    await assert.rejects(loadSecretKey({ configured: null, file: null }), /must be configured/)
  })
})
