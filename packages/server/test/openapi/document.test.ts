import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import swaggerParser from '@apidevtools/swagger-parser'
import { createClient } from '@hey-api/openapi-ts'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTypeScript, { astToString } from 'openapi-typescript'
import { openApiDocument } from '../../src/assembly/openapi-document.ts'
import { createLog } from '../../src/platform/log.ts'

const TSC = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url))

/** A document as a test walks through it. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on the parts it names.
type Document = any

describe('openapi.json', () => {
  let document: Document
  let folder: string

  before(async () => {
    document = await openApiDocument(createLog('silent'))
    folder = await mkdtemp(join(tmpdir(), 'mayfly-openapi-'))
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('has no problem by the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: join(folder, 'openapi.json'),
      config,
    })
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      [],
    )
  })

  it('is valid by swagger-parser', async () => {
    await swaggerParser.validate(structuredClone(document))
  })

  it('names each operation once, with its key, and with every status that it may have', () => {
    const ids = operations(document).map(({ operation }) => operation.operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const { method, path, operation } of operations(document)) {
      const name = `${method} ${path}`
      assert.match(operation.operationId, /^[a-z]+[A-Za-z]+$/, name)
      assert.ok(Array.isArray(operation.security), name)
      const statuses = Object.keys(operation.responses)
      const isPage = operation.responses['200']?.content?.['text/html'] !== undefined
      const expected = [
        ...(isPage ? ['400', '500'] : ['400', '403', '408', '431', '500', '503']),
        ...(operation.security.length > 0 ? ['401', '429'] : []),
        ...(path.includes('{') ? ['404', '414'] : []),
        ...(method === 'get' ? [] : ['413', '415']),
      ]
      assert.deepEqual(
        expected.filter((status) => !statuses.includes(status)),
        [],
        name,
      )
    }
  })

  it('has an example of every body, and no placeholder in it', () => {
    let bodies = 0
    walk(document, (part, path) => {
      const media = part.content?.['application/json']
      if (media === undefined) return
      bodies += 1
      assert.ok(media.example !== undefined, path)
      assert.doesNotMatch(JSON.stringify(media.example), /"string"|undefined/, path)
    })
    assert.ok(bodies > 100, `${bodies} bodies`)
  })

  it('has no pattern that needs a lookaround or a class of Unicode', () => {
    walk(document, ({ pattern }, path) => {
      if (typeof pattern === 'string') assert.doesNotMatch(pattern, /\(\?[=!<]|\\p\{/, path)
    })
  })

  it('documents each assertion, told apart by its type', () => {
    const { Assertion, AssertionInput, ...schemas } = document.components.schemas
    for (const union of [Assertion, AssertionInput]) {
      const { mapping, propertyName } = union.discriminator
      assert.equal(propertyName, 'type')
      assert.deepEqual(Object.keys(mapping), [
        ...['otpPresent', 'containsText', 'linkResponds', 'auth', 'htmlSupport'],
      ])
      for (const [type, $ref] of Object.entries<string>(mapping)) {
        const schema = schemas[$ref.split('/').at(-1) ?? '']
        assert.equal(schema.properties.type.const, type)
        assert.match(schema.description, /^Passes when /)
      }
    }
    assert.deepEqual(schemas.AuthAssertionInput.required, ['type', 'check'])
  })

  it('makes types and a client that compile', async () => {
    const types = astToString(await openapiTypeScript(structuredClone(document)))
    await writeFile(join(folder, 'types.ts'), types)
    await createClient({
      input: join(folder, 'openapi.json'),
      output: join(folder, 'client'),
      logs: { level: 'silent' },
    })
    assert.ok((await readdir(join(folder, 'client'))).includes('sdk.gen.ts'))
    await writeFile(
      join(folder, 'use.ts'),
      `import { assertInbox, createInbox } from './client/index.ts'
import type { operations } from './types.ts'
const { data } = await createInbox({ body: { localPart: 'signup' } })
export const id: string | undefined = data?.inbox.id
await assertInbox({ path: { id: 'x' }, body: { assertions: [{ type: 'auth', check: 'spf' }] } })
// @ts-expect-error: containsText needs a text
await assertInbox({ path: { id: 'x' }, body: { assertions: [{ type: 'containsText' }] } })
type Wait = operations['waitForMessage']['parameters']['query']
export const wait: Wait = { for: 'otp', timeoutSeconds: 5 }
`,
    )
    const options = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'nodenext',
      moduleResolution: 'nodenext',
      allowImportingTsExtensions: true,
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
    }
    const project = { compilerOptions: options, files: ['use.ts'] }
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project))
    const compiling = promisify(execFile)(TSC, ['-p', folder])
    const output = await compiling.then(
      () => '',
      (error) => String(error.stdout),
    )
    assert.equal(output, '')
  })
})

function operations(
  document: Document,
): { readonly method: string; readonly path: string; readonly operation: Document }[] {
  return Object.entries<Document>(document.paths).flatMap(([path, item]) =>
    Object.entries<Document>(item).map(([method, operation]) => ({ method, path, operation })),
  )
}

function walk(value: Document, visit: (part: Document, path: string) => void, path = ''): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value, path)
  for (const [name, part] of Object.entries(value)) walk(part, visit, `${path}/${name}`)
}
