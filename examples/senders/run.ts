// Sends a mail with every sender of docs/senders.md and prints what each printed:
//
//   JARS=/path/to/*.jar:… node examples/senders/run.ts

import { startService } from '../../packages/server/test/testing-start-service.ts'
import { SENDERS, send } from './senders.ts'

await using service = await startService()
const client = await service.register()
const inbox = await client.inboxes.create()
const target = { smtpPort: service.smtpPort, emailAddress: inbox.emailAddress }
for (const sender of SENDERS) {
  try {
    const printed = await send(sender, target)
    await inbox.waitForMessage({ subject: sender.subject, timeoutSeconds: 5 })
    console.log(`${sender.name}: received. It printed: ${printed.split('\n').at(-1)}`)
  } catch (error) {
    console.log(`${sender.name}: not received. ${error instanceof Error ? error.message : error}`)
  }
}
