import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ids, originalRows, type Row } from './rows.ts'

/** Files that decide how the weights are fitted, beside the facts of the mails. */
const SETTINGS = [
  'priors.ts',
  'rows.ts',
  'softmax.ts',
  '../../packages/mail/test/testing-otp-transformations.ts',
] as const

/**
 * What the weights depend on: the facts of each mail and sentence, its code, and the settings of
 * the fit. The variations of a mail are left out, because reading them takes a minute.
 */
export function fingerprint(): string {
  const hash = createHash('sha256')
  for (const file of SETTINGS) hash.update(readFileSync(new URL(file, import.meta.url)))
  const rows = originalRows()
  const names = [...ids.keys()]
  for (const row of rows) hash.update(textOf(row, names))
  return hash.digest('hex').slice(0, 16)
}

function textOf({ otp, values, facts, amounts }: Row, names: readonly string[]): string {
  const named = Array.from(facts, (fact, at) => `${names[fact]} ${amounts[at]}`)
  return `${otp}: ${values.join()}: ${named.join()}\n`
}
