import { registerAccount } from '@mayfly/client'
import { readLocalKey } from '@mayfly/client/internal'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, serviceUrl } from '../connection.ts'
import { readCredentials, saveKey } from '../credentials.ts'
import { printJson, printSecret } from '../output.ts'
import type { Terminal } from '../terminal.ts'

/** Registers an account and saves its key. */
export const signup = defineCommand({
  name: 'signup',
  summary: 'register an account and save its key',
  args: ['EMAIL'],
  about:
    'The key is shown only once. It is also saved in a file that only you can read, where later\ncommands find it.',
  options: {
    json: CONNECTION_OPTIONS.json,
    url: CONNECTION_OPTIONS.url,
    name: { type: 'string', value: 'NAME', about: 'a name for the account' },
    'no-save': { type: 'boolean', about: 'do not save the key' },
  },
  example: 'mayfly signup you@example.com',
  run: async ({ options, args: [email = ''], terminal }) => {
    const baseUrl = await serviceUrl(terminal, options)
    const signal = terminal.interrupted
    const registration = await registerAccount({
      baseUrl,
      email,
      signal,
      ...(options.name === undefined ? {} : { name: options.name }),
    })
    const { apiKey, account } = registration
    const isSaved = !options['no-save']
    const old = isSaved ? (await readCredentials(terminal)).keys[baseUrl] : undefined
    const savedTo = isSaved
      ? await saveKey(terminal, baseUrl, { apiKey, email: account.email })
      : null
    if (options.json) return printJson(terminal, registration)
    terminal.err(`${account.email} is registered, plan ${account.plan}.\n`)
    printSecret(terminal, 'API key', apiKey)
    if (savedTo !== null) {
      terminal.err(`Saved in ${savedTo}.\n`)
      await sayHowToReturn(terminal, baseUrl, old?.email)
    }
    terminal.err(terminal.withCommands('Next: mayfly inbox new\n'))
  },
})

/** Prints how to use the previous account again. */
async function sayHowToReturn(
  terminal: Terminal,
  baseUrl: string,
  savedEmail: string | undefined,
): Promise<void> {
  if (savedEmail !== undefined) {
    const how = `To return to ${savedEmail}, whose saved key was replaced: mayfly login KEY\n`
    return terminal.err(terminal.withCommands(how))
  }
  // The account is registered, whatever becomes of this request.
  const localKey = await readLocalKey({ baseUrl, signal: terminal.interrupted }).catch(() => null)
  if (localKey === null) return
  terminal.err(terminal.withCommands('To return to the local account: mayfly logout\n'))
}
