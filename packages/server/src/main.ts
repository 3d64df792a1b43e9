// The way in. Code that was compiled and stripped of its types once is kept by Node for the next
// start, which is then twice as fast; so the rest is loaded after that was asked for.

import { enableCompileCache, flushCompileCache } from 'node:module'

const { directory } = enableCompileCache()
// Threads look for it here.
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory
const { serve } = await import('./serve.ts')
await serve(process.argv.slice(2))
flushCompileCache()
