// The entry point. Node keeps code that it has compiled and stripped of its types once, and a start
// is then twice as fast; so everything else is loaded after the compile cache is on.

import { enableCompileCache, flushCompileCache } from 'node:module'

const { directory } = enableCompileCache()
// Worker threads find the cache by this variable.
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory
const { serve } = await import('./assembly/serve.ts')
await serve(process.argv.slice(2))
flushCompileCache()
