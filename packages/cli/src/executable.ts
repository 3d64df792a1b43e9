// The first code that runs in the executable, in each of its threads: loads the bundle of the
// thread, which `npm run build:binary` has put into the executable.
//
// A bundle is a function expression that gets `require`. Beside it is V8's code cache, written
// after the bundle has run once: functions that a start calls are not compiled again. An executable
// that was built on another kind of machine has none.

import { getAsset, getAssetKeys, getRawAsset } from 'node:sea'
import { Script } from 'node:vm'
import { isMainThread, threadName } from 'node:worker_threads'

type Bundle = (
  require: (id: string) => unknown,
  module: { exports: unknown },
  exports: unknown,
) => void

const loaded = new Map<string, { exports: unknown }>()

/** Built-in modules and bundles; never a file, which anybody could have put into the folder. */
function require(id: string): unknown {
  return process.getBuiltinModule(id) ?? load(id)
}

function load(id: string): unknown {
  const known = loaded.get(id)
  if (known !== undefined) return known.exports
  const cache = `/bundles/${id}.cache`
  const script = new Script(getAsset(`/bundles/${id}.js`, 'utf8'), {
    filename: `${id}.js`,
    ...(getAssetKeys().includes(cache) ? { cachedData: Buffer.from(getRawAsset(cache)) } : {}),
  })
  const module = { exports: {} }
  loaded.set(id, module)
  // As the build has wrapped it.
  const run = script.runInThisContext() as Bundle
  run(require, module, module.exports)
  return module.exports
}

load(isMainThread ? '@mayfly/cli' : (threadName ?? ''))
