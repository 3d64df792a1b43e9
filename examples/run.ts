// Runs an example suite against a Mayfly and an application of its own:
//
//   npm run example -- SUITE [FAULT] [options of the runner]
//
// SUITE is vitest, jest, jest-commonjs, playwright or providers. FAULT is a bug of the application:
// none, silent, misaddressed or codeless.

import { startService } from '../packages/server/test/testing-start-service.ts'
import { installExampleClient, readRunArguments, runSuite } from './run-suite.ts'

const request = readRunArguments(process.argv.slice(2))
if (typeof request === 'string') {
  console.error(request)
  process.exit(2)
}
await installExampleClient()
await using mayfly = await startService()
const { code, output } = await runSuite(mayfly, request.suite, request)
process.stdout.write(output)
process.exitCode = code ?? 1
