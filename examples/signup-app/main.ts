// The application by itself, for a look around:
//
//   node_modules/.bin/node examples/signup-app/main.ts [none|silent|misaddressed|codeless]

import { startApp } from './app.ts'
import { FAULTS } from './mails.ts'

const given = process.argv[2] ?? 'none'
const fault = FAULTS.find((known) => known === given)
if (fault === undefined) {
  console.error(`No such bug: ${given}. The bugs are: ${FAULTS.join(', ')}.`)
  process.exit(2)
}
const { url } = await startApp({
  smtpHost: process.env['MAYFLY_SMTP_HOST'] ?? '127.0.0.1',
  smtpPort: Number(process.env['MAYFLY_SMTP_PORT'] ?? 1025),
  port: Number(process.env['PORT'] ?? 3000),
  fault,
})
console.log(`Example App is at ${url}`)
