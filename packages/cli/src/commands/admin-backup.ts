import { defineCommand } from '../command.ts'
import { withServer } from '../operator.ts'
import { print, printJson } from '../output.ts'

/** `mayfly admin backup` */
export const backup = defineCommand({
  name: 'admin backup',
  summary: 'copy the SQLite database to a new file, also while the service runs',
  args: ['FILE'],
  about: `The copy is a consistent snapshot, verified and synced to disk before it is renamed to FILE.
The key file beside the database is copied to FILE.key.
To restore, stop the service and replace the database and its key file with these two.`,
  options: { json: { type: 'boolean', about: 'print JSON' } },
  example: 'mayfly admin backup backups/$(date +%F).db',
  run: async ({ options, args: [file = ''], terminal }) => {
    const copy = await withServer(terminal, async (server, config) => server.backUp(config, file))
    if (options.json) return printJson(terminal, copy)
    const { accounts, inboxes, messages, sizeBytes } = copy
    const content = `${accounts} accounts, ${inboxes} inboxes, ${messages} messages`
    print(terminal, `${copy.path}: ${content}, ${(sizeBytes / 1_000_000).toFixed(1)} MB`)
  },
})
