import { createClient } from '@mayfly/client'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, serviceUrl } from '../connection.ts'
import { saveKey } from '../credentials.ts'
import { print } from '../output.ts'

/** Saves the key of an existing account. */
export const login = defineCommand({
  name: 'login',
  summary: 'save the key of an existing account',
  args: ['KEY'],
  about:
    'The key is checked, then saved in a file that only you can read. Lost all keys of an account?\nThe operator of the service creates a new one: mayfly admin give-key EMAIL.',
  options: { url: CONNECTION_OPTIONS.url },
  example: 'mayfly login mf_live_… --url https://mail.example.com',
  run: async ({ options, args: [apiKey = ''], terminal }) => {
    const baseUrl = await serviceUrl(terminal, options)
    const client = createClient({ baseUrl, apiKey })
    const { account } = await client.account.read({ signal: terminal.interrupted })
    const path = await saveKey(terminal, baseUrl, { apiKey, email: account.email })
    print(terminal, `Signed in to ${baseUrl} as ${account.email}. The key is saved in ${path}.`)
  },
})
