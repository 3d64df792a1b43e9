import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type ts from 'typescript'
import { kept } from './build/build-cache.ts'
import { type Installed, installClient } from './build/installed.ts'
import { manifestMistakes, typeProblems } from './testing-tarball.ts'

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
  let client: Installed

  before(async () => {
    await mkdir(join(ROOT, '.cache'), { recursive: true })
    folder = await mkdtemp(join(ROOT, '.cache', 'modules-'))
    client = await installClient()
    await symlink(client.nodeModules, join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}')
  })

  after(() => rm(folder, { recursive: true, force: true }))

  /** Loads the checker and runs the check, unless the same package has passed it before. */
  async function check(name: string, run: () => Promise<void>): Promise<void> {
    const tarball = relative(ROOT, client.tarballOf('client'))
    const sources = [
      tarball,
      'package-lock.json',
      'tools/packages-modules.test.ts',
      'tools/testing-tarball.ts',
    ]
    await kept(`client-${name}`, sources, run)
  }

  it('has types that are right for every way to import it', async () => {
    await check('types', async () => {
      assert.deepEqual(await typeProblems(client.tarballOf('client')), [])
    })
  })

  it('has a manifest without mistakes', async () => {
    await check('manifest', async () => {
      assert.deepEqual(await manifestMistakes(client.tarballOf('client')), [])
    })
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
      await check(`resolution-${name}`, async () => {
        await writeFile(join(folder, 'typed.ts'), TYPED)
        const strict = { strict: true, noEmit: true, target: 'es2022', types: ['node'] }
        const compilerOptions = { ...strict, skipLibCheck: true, ...options }
        assert.equal(await compile(folder, { compilerOptions, files: ['typed.ts'] }), '')
      })
    })
  }
})

/** What the compiler says about a project, given as its tsconfig.json. */
async function compile(folder: string, project: object): Promise<string> {
  // TypeScript 6: the last that knows all ways to resolve modules.
  const { default: ts } = await import('typescript')
  const parsed = ts.parseJsonConfigFileContent(project, ts.sys, folder)
  const host = ts.createCompilerHost(parsed.options)
  const program = ts.createProgram({
    rootNames: parsed.fileNames,
    options: parsed.options,
    configFileParsingDiagnostics: parsed.errors,
    host: { ...host, getSourceFile: sharedSources(host) },
  })
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host)
}

const parsedFiles = new Map<string, ts.SourceFile | undefined>()

/** Parses the declarations of the language and of Node, most of the work, once for all projects. */
function sharedSources({ getSourceFile }: ts.CompilerHost): ts.CompilerHost['getSourceFile'] {
  return (file, ...rest) => {
    if (!/\/node_modules\/(?:@types\/node|@typescript\/old)\//.test(file)) {
      return getSourceFile(file, ...rest)
    }
    if (!parsedFiles.has(file)) parsedFiles.set(file, getSourceFile(file, ...rest))
    return parsedFiles.get(file)
  }
}
