import { defineCommand } from '../command.ts'
import { withServer } from '../operator.ts'
import { print, printJson } from '../terminal.ts'

/** `mayfly admin backup` */
export const backup = defineCommand({
  name: 'admin backup',
  summary: 'copy the embedded store into a new file, also while the service runs',
  args: ['FILE'],
  about: `The copy is of one moment, checked, and on disk before it gets its name.
The key that lies beside the store is copied to FILE.key.
To restore it, stop the service and put both in the place of the store.`,
  options: { json: { type: 'boolean', about: 'print JSON, for programs' } },
  example: 'mayfly admin backup backups/$(date +%F).db',
  run: async ({ options, args: [file = ''], terminal }) => {
    const copy = await withServer(terminal, async (server, config) => server.backUp(config, file))
    if (options.json) return printJson(terminal, copy)
    const { accounts, inboxes, messages, sizeBytes } = copy
    const content = `${accounts} accounts, ${inboxes} inboxes, ${messages} messages`
    print(terminal, `${copy.path}: ${content}, ${(sizeBytes / 1_000_000).toFixed(1)} MB`)
  },
})
