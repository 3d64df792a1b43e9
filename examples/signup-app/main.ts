// The application by itself, for a look around:
//
//   node examples/signup-app/main.ts [none|silent|misaddressed|codeless]

import { startApp } from './app.ts'
import { FAULTS } from './mails.ts'

const fault = FAULTS.find((known) => known === process.argv[2]) ?? 'none'
const { url } = await startApp({
  smtpHost: process.env['MAYFLY_SMTP_HOST'] ?? '127.0.0.1',
  smtpPort: Number(process.env['MAYFLY_SMTP_PORT'] ?? 1025),
  port: Number(process.env['PORT'] ?? 3000),
  fault,
})
console.log(`Example App is at ${url}`)
