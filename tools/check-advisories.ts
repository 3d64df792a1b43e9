// Fails when a package of the lock file has a known advisory. Works without the internet.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findAffected } from './advisories.ts'

const LOCK = join(import.meta.dirname, '..', 'package-lock.json')

const affected = findAffected(JSON.parse(readFileSync(LOCK, 'utf8')))
for (const line of affected) console.error(`known advisory: ${line}`)
if (affected.length > 0) process.exitCode = 1
