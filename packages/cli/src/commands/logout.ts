import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, serviceUrl } from '../connection.ts'
import { deleteKey, readCredentials } from '../credentials.ts'
import { CommandFailed } from '../exit.ts'
import { print } from '../output.ts'

/** Deletes the saved key of a service. */
export const logout = defineCommand({
  name: 'logout',
  summary: 'delete the saved key, and return to the local account',
  about:
    'The key stays valid: `mayfly login KEY` saves it again. Without a saved key, commands use the\nlocal account of the service on this machine.',
  options: { url: CONNECTION_OPTIONS.url },
  example: 'mayfly logout',
  run: async ({ options, terminal }) => {
    const baseUrl = await serviceUrl(terminal, options)
    const saved = (await readCredentials(terminal)).keys[baseUrl]
    if (saved === undefined) throw new CommandFailed(`there is no saved key for ${baseUrl}.`)
    const path = await deleteKey(terminal, baseUrl)
    print(terminal, `Signed out of ${baseUrl}. The key of ${saved.email} is deleted from ${path}.`)
  },
})
