import { registerAccount } from '@mayfly/client'
import { defineCommand } from '../command.ts'
import { saveKey } from '../credentials.ts'
import { SERVICE_OPTIONS, serviceUrl } from '../service.ts'
import { print, printJson, style } from '../terminal.ts'

/** Registers an account and remembers its key. */
export const signup = defineCommand({
  name: 'signup',
  summary: 'register an account and remember its key',
  args: ['EMAIL'],
  about:
    'The key is shown this once. It is also saved, readable by you alone, so that further\ncommands find it.',
  options: {
    json: SERVICE_OPTIONS.json,
    url: SERVICE_OPTIONS.url,
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
    const savedTo = options['no-save']
      ? null
      : await saveKey(terminal, baseUrl, { apiKey, email: account.email })
    if (options.json) return printJson(terminal, registration)
    print(terminal, `${account.email} is registered, plan ${account.plan}.`)
    print(terminal, `API key (shown this once): ${style(terminal, 'bold', apiKey)}`)
    if (savedTo !== null) print(terminal, `Saved in ${savedTo}.`)
    print(terminal, 'Next: mayfly inbox new')
  },
})
