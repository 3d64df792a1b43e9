import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Metafile } from 'esbuild'

/** Written by the build, which tools/test.ts runs. */
const META = join(import.meta.dirname, '..', 'dist', 'program', 'meta.json')
const SERVER = 'packages/server/src'

/** The sources in the files that are loaded together with this one. */
function loadedWith(entry: string): readonly string[] {
  // What program.ts has got from esbuild.
  const { outputs } = JSON.parse(readFileSync(META, 'utf8')) as Metafile
  const first = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === entry)
  const files = new Set(first === undefined ? [] : [first])
  for (const file of files) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[path] !== undefined) files.add(path)
    }
  }
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
}

describe('the bundle of the server', () => {
  for (const [entry, used, unused] of [
    [
      'assembly/serve.ts',
      'assembly/service.ts',
      /mail\/src\/(codes|mime\/parse)|locales\/de|node_modules\/(ajv|light-my-request|undici|pg|@fastify\/swagger)\//,
    ],
    ['threads/receiving-thread.ts', 'app/receiving.ts', /^packages\/mail|\/(zod|kysely)\//],
    ['app/mail-handling.ts', 'receiving/handler.ts', /mail\/src\/(codes|mime)|\/zod\//],
    ['threads/storing-thread.ts', 'receiving/store-mails.ts', /\/zod\//],
  ] as const) {
    it(`starts without what takes much memory and is used later or never: ${entry}`, () => {
      const loaded = loadedWith(`${SERVER}/${entry}`)
      assert.ok(loaded.includes(`${SERVER}/${used}`))
      assert.deepEqual(
        loaded.filter((path) => unused.test(path)),
        [],
      )
    })
  }
})
