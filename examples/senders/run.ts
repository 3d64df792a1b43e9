// Sends a mail with each sender of docs/senders.md that is installed, prints what each printed, and
// fails when a mail was not received. JARS is the class path of the Java libraries:
//
//   JARS=/path/to/a.jar:/path/to/b.jar node_modules/.bin/node examples/senders/run.ts

import { startService } from '../../packages/server/test/testing-start-service.ts'
import { missing, SENDERS, send } from './senders.ts'

await using service = await startService()
const client = await service.register()
const inbox = await client.inboxes.create()
const target = { smtpPort: service.smtpPort, emailAddress: inbox.emailAddress }
for (const sender of SENDERS) {
  const lacking = await missing(sender)
  if (lacking !== null) {
    console.log(`${sender.name}: skipped. Not installed: ${lacking}`)
    continue
  }
  try {
    const printed = await send(sender, target)
    await inbox.waitForMessage({ subject: sender.subject, timeoutSeconds: 5 })
    console.log(`${sender.name}: received. It printed: ${printed.split('\n').at(-1)}`)
  } catch (error) {
    console.log(`${sender.name}: not received. ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}
