#!/usr/bin/env node
// The command `mayfly`, as npm links it: starts the command line on a Node that can run it.
//
// Plain JavaScript for any Node from 20.3 on, because the Node that comes first in PATH is often
// older than the one the code needs. In the repository the code is TypeScript and runs on the
// pinned Node (the npm package `node`), bundled if the bundle is newer than it. A published package
// is JavaScript and runs on the Node that started it.

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const source = new URL('../src/main.ts', import.meta.url)
const isRepository = existsSync(source)
/** TypeScript needs a newer Node than the published package, whose `engines` say the same. */
const nodeMin = isRepository ? { major: 24, minor: 0 } : { major: 20, minor: 3 }
const main = isRepository
  ? (currentBundle() ?? source)
  : new URL('../dist/main.js', import.meta.url)
const pinnedNode = isRepository ? findPinnedNode(dirname(fileURLToPath(source))) : null

if (pinnedNode !== null && pinnedNode !== realpathSync(process.execPath)) {
  handOver(pinnedNode)
} else if (isRecent(process.versions.node)) {
  await import(main.href)
} else {
  const remedy = isRepository
    ? 'Run `npm install` in the repository: it installs one.'
    : 'Install a newer one (https://nodejs.org), or put it first in PATH.'
  process.stderr.write(
    `mayfly: Node ${nodeMin.major}.${nodeMin.minor} or newer is required, and this is ${process.version}. ${remedy}\n`,
  )
  process.exitCode = 1
}

function isRecent(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > nodeMin.major || (major === nodeMin.major && minor >= nodeMin.minor)
}

/** The bundle of `tools/build/program.ts`; null without one, or when a source is newer. */
function currentBundle() {
  const built = new URL('../../../dist/program/', import.meta.url)
  const stamp = statSync(new URL('.stamp', built), { throwIfNoEntry: false })
  if (stamp === undefined) return null
  const folders = ['../src/', '../../client/src/']
  const isChanged = folders
    .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
    .some((folder) =>
      // The folders too: their time changes when a file is deleted.
      ['', ...readdirSync(folder, { recursive: true })].some(
        (path) => statSync(join(folder, path)).mtimeMs >= stamp.mtimeMs,
      ),
    )
  return isChanged ? null : new URL('cli/main.js', built)
}

/** `node_modules/.bin/node` of this folder or of the nearest one above that has it, or null. */
function findPinnedNode(folder) {
  const candidate = join(folder, 'node_modules', '.bin', 'node')
  if (existsSync(candidate)) return realpathSync(candidate)
  const parent = dirname(folder)
  return parent === folder ? null : findPinnedNode(parent)
}

/** Runs the command line on another Node: in this process where Node has `execve` (22.15). */
function handOver(node) {
  const args = [fileURLToPath(main), ...process.argv.slice(2)]
  // The warning that this is experimental is never shown: the call replaces the process before.
  if (process.execve !== undefined) process.execve(node, [node, ...args])

  const child = spawn(node, args, { stdio: 'inherit' })
  // At a terminal Ctrl-C signals the child too; a second SIGINT would kill it while it shuts down.
  const isAtTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !isAtTerminal) child.kill(signal)
    })
  }
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
