import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'

const DIST = join(import.meta.dirname, '..', 'dist')

/** Gzipped. The pages of comparable programs have 106 to 207 KB of JavaScript. */
const BYTES_MAX = { '.js': 48_000, '.css': 10_000 } as const

describe('the built dashboard', () => {
  for (const [extension, bytesMax] of Object.entries(BYTES_MAX)) {
    it(`has at most ${bytesMax} bytes of ${extension}`, async () => {
      const names = (await readdir(join(DIST, 'assets'))).filter((name) => name.endsWith(extension))
      const files = await Promise.all(names.map((name) => readFile(join(DIST, 'assets', name))))
      const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0)
      assert.ok(bytes > 0 && bytes <= bytesMax, `${bytes} bytes`)
    })
  }

  it('fetches nothing from elsewhere', async () => {
    const names = (await readdir(join(DIST, 'assets'))).map((name) => join('assets', name))
    for (const name of ['index.html', ...names]) {
      const text = await readFile(join(DIST, name), 'utf8')
      // Names of XML and what examples print are no addresses that are fetched.
      const addresses = text.match(/(?:src|href|url\(|import\(?)\s*=?\s*["']?https?:\/\/[^"')\s]+/g)
      assert.deepEqual(addresses ?? [], [], name)
    }
  })
})
