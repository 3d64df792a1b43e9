// Runs each program of docs/other-languages.md whose language is installed against a Mayfly and an
// application of its own, and fails when one finds no code or leaves its inbox:
//
//   npm run soak -- --only languages

import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startService } from '../packages/server/test/testing-start-service.ts'
import { readExamples } from '../tools/document-examples.ts'
import { startApp } from './signup-app/app.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')

/** How a file of each language is run, by the language's name in the document. */
const RUNTIMES: Readonly<Record<string, readonly [file: string, ...command: string[]]>> = {
  java: ['SignUpTest.java', 'java'],
  go: ['main.go', 'go', 'run'],
  php: ['signup.php', 'php'],
  ruby: ['signup.rb', 'ruby'],
}

await using mayfly = await startService()
await using app = await startApp({ smtpHost: '127.0.0.1', smtpPort: mayfly.smtpPort })
const account = await mayfly.register()
const env = {
  ...process.env,
  MAYFLY_BASE_URL: mayfly.httpUrl,
  MAYFLY_API_KEY: account.key,
  APP_URL: app.url,
}
await using folder = await mkdtempDisposable(join(tmpdir(), 'mayfly-languages-'))
for (const { language, code } of readExamples(ROOT, 'docs/other-languages.md')) {
  const [file, program, ...args] = RUNTIMES[language] ?? []
  if (file === undefined || program === undefined) continue
  if (await isMissing(program)) {
    console.log(`${language}: skipped. Not installed: ${program}`)
    continue
  }
  await writeFile(join(folder.path, file), code)
  const { stdout } = await run(program, [...args, file], { cwd: folder.path, env })
  const { inboxes } = await account.inboxes.list()
  const isRight = /^code \d{6}\n$/.test(stdout) && inboxes.length === 0
  console.log(`${language}: ${isRight ? 'passed' : `FAILED with ${stdout}`}`)
  if (!isRight) process.exitCode = 1
}

async function isMissing(program: string): Promise<boolean> {
  return run('sh', ['-c', `command -v ${program}`]).then(
    () => false,
    () => true,
  )
}
