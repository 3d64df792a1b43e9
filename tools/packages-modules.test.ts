import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { packPackage } from './build/pack.ts'
import { stagePackages } from './build/stage.ts'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** Loads every entry point that Node can load without a test runner. */
const REQUIRE = `
const { createClient, verifyWebhook, WebhookVerificationError } = require('@mayfly/client')
const { mayflyTasks } = require('@mayfly/client/cypress')
require('@mayfly/client/playwright')
verifyWebhook({}, '', 'whsec_1').catch((error) => {
  const client = createClient({ apiKey: 'mf_test_key' })
  const isOurs = error instanceof WebhookVerificationError
  console.log(typeof client.inboxes.create, typeof mayflyTasks, isOurs)
})
`

/** One program for each way in which TypeScript finds a package. */
const TYPED = `
import { createClient, type Message } from '@mayfly/client'
import { useInbox } from '@mayfly/client/jest'
const inbox = useInbox({ timeoutSeconds: 1 })
export const message: Promise<Message> = inbox().waitForMessage()
// @ts-expect-error there is no such option
createClient({ key: 'x' })
`

const RESOLUTIONS = {
  node: { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
  node16: { module: 'node16', moduleResolution: 'node16' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
}

describe('the client for each kind of module', () => {
  let folder = ''
  let tarball = ''

  before(async () => {
    await mkdir(join(ROOT, '.cache'), { recursive: true })
    folder = await mkdtemp(join(ROOT, '.cache', 'modules-'))
    await stagePackages(folder, ['client'])
    tarball = await packPackage(folder, 'client')
    const to = join(folder, 'node_modules', '@mayfly', 'client')
    await mkdir(to, { recursive: true })
    await run('tar', ['-xzf', tarball, '-C', to, '--strip-components=1'])
    await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}')
  })

  after(() => rm(folder, { recursive: true, force: true }))

  it('has types that are right for every way to import it', async () => {
    const data = await readFile(tarball)
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(data)))
    assert.ok(result.types, 'the package has no types')
    assert.deepEqual(result.problems, [])
  })

  it('has a manifest without mistakes', async () => {
    const { messages, pkg } = await publint({ pkgDir: join(folder, 'client'), strict: true })
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    )
  })

  it('is loaded by require, without the support of require for ES modules', async () => {
    const program = join(folder, 'program.js')
    await writeFile(program, REQUIRE)
    // Node 20 has no such support; the flag turns it off in newer ones.
    const { stdout } = await run(process.execPath, ['--no-experimental-require-module', program])
    assert.equal(stdout, 'function function true\n')
  })

  for (const [name, options] of Object.entries(RESOLUTIONS)) {
    it(`is found by TypeScript with moduleResolution ${name}`, async () => {
      await writeFile(join(folder, 'typed.ts'), TYPED)
      const config = join(folder, `tsconfig.${name}.json`)
      const strict = { strict: true, noEmit: true, target: 'es2022', types: ['node'] }
      const compilerOptions = { ...strict, skipLibCheck: true, ...options }
      await writeFile(config, JSON.stringify({ compilerOptions, files: ['typed.ts'] }))
      // TypeScript 6: the last that knows all of them.
      const tsc = join(ROOT, 'node_modules', 'typescript', 'lib', 'tsc.js')
      const compiled = run(process.execPath, [tsc, '-p', config])
      await compiled.catch((error: { readonly stdout: string }) => assert.fail(error.stdout))
    })
  }
})
