// The entry point. Node keeps compiled code without types in its compile cache, and the next start
// takes a quarter of the time; so everything else is loaded after the cache is on.

import * as nodeModule from 'node:module'

// Node 20 has none.
nodeModule.enableCompileCache?.()
const { runProcess } = await import('./process.ts')
await runProcess()
