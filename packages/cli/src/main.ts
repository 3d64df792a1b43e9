// The entry point. Node keeps what it has compiled and stripped of types in its compile cache, and
// the next start takes a quarter of the time; so everything else is loaded after the cache is on.

import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runProcess } = await import('./process.ts')
await runProcess()
