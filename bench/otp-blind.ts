// Totals for batches of mails that nobody has looked at yet, and nothing about a single mail.
//
//   node_modules/.bin/node bench/otp-blind.ts FILE.jsonl[.zst]…

import { basename } from 'node:path'
import { readBatch, resultOf } from '../packages/mail/test/testing-otp-batches.ts'
import { isRight, scoreOf } from '../packages/mail/test/testing-otp-corpus.ts'

for (const file of process.argv.slice(2)) {
  const mails = readBatch(file)
  const results = mails.map(resultOf)
  const { given, right, expected, precision, recall } = scoreOf(results)
  const exact = results.filter(({ hasExactLinks }) => hasExactLinks).length
  const falseAlarms = results.filter(({ mail, found }) => mail.otp === null && found !== null)
  console.log(
    [
      basename(file)
        .replace(/\.jsonl.*/, '')
        .padEnd(20),
      `${mails.length} mails`,
      `${expected} codes`,
      `precision ${precision.toFixed(3)} (${right}/${given})`,
      `recall ${recall.toFixed(3)}`,
      `false alarms ${falseAlarms.length}`,
      `right ${results.filter(isRight).length}`,
      `links exact ${exact}/${mails.length}`,
    ].join('  '),
  )
}
