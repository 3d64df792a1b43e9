// Runs an example suite against a Mayfly and an application of its own:
//
//   node examples/run.ts vitest|jest|jest-commonjs|playwright [FAULT] [arguments]
//
// FAULT is a bug of the application: none, silent, misaddressed or codeless.

import { startService } from '../packages/server/test/testing-start-service.ts'
import { installExampleClient, runSuite, SUITES, type SuiteName } from './run-suite.ts'
import { FAULTS } from './signup-app/mails.ts'

const [suite, given, ...args] = process.argv.slice(2)
const names = Object.keys(SUITES)
const isSuite = (name: string | undefined): name is SuiteName =>
  name !== undefined && names.includes(name)
if (!isSuite(suite)) throw new Error(`Name a suite: ${names.join(', ')}.`)
const fault = FAULTS.find((known) => known === given) ?? 'none'
await installExampleClient()
await using mayfly = await startService()
const { code, output } = await runSuite(mayfly, suite, { fault, args })
process.stdout.write(output)
process.exitCode = code ?? 1
