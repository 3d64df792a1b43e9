// Runs a bundle as the executable does (packages/cli/src/executable.ts), but from files, and writes
// its code cache when its thread ends.
//
//   STAGE=FOLDER node recorder.ts ARGUMENTS…

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { isMainThread, threadName } from 'node:worker_threads'

const STAGE = process.env['STAGE'] ?? ''
const scripts = new Map<string, Script>()

/** `node:sea` of an executable with the files of the stage. */
const sea = {
  isSea: () => true,
  getAsset: (path: string, encoding?: 'utf8') => {
    if (path === '/boot.js') return `import(${JSON.stringify(import.meta.url)})`
    const bytes = readFileSync(join(STAGE, path))
    return encoding === undefined ? bytes : bytes.toString(encoding)
  },
  getAssetKeys: () => readdirSync(STAGE, { recursive: true }).map((path) => `/${path.toString()}`),
}

const getBuiltinModule = process.getBuiltinModule.bind(process)
// Code that also runs on versions of Node without `node:sea` asks for it by this function.
Object.assign(process, {
  getBuiltinModule: (id: string) => (id === 'node:sea' ? sea : getBuiltinModule(id)),
})

function require(id: string): unknown {
  const builtin: unknown = process.getBuiltinModule(id)
  return builtin ?? load(id)
}

function load(id: string): unknown {
  const path = join(STAGE, 'bundles', id)
  const cachedData = existsSync(`${path}.cache`) ? readFileSync(`${path}.cache`) : undefined
  const script = new Script(readFileSync(`${path}.js`, 'utf8'), {
    filename: `${id}.js`,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  if (script.cachedDataRejected === true) throw new Error(`the code cache of ${id} is not valid`)
  scripts.set(path, script)
  const module = { exports: {} }
  script.runInThisContext()(require, module, module.exports)
  return module.exports
}

function writeCaches(): void {
  for (const [path, script] of scripts) {
    writeFileSync(`${path}.cache`, script.createCachedData())
  }
}

load(isMainThread ? '@mayfly/cli' : (threadName ?? ''))
// A thread that is terminated has no exit event: then what was compiled by now is kept.
setImmediate(writeCaches)
process.once('exit', writeCaches)
