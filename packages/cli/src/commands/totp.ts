import { text as readText } from 'node:stream/consumers'
import { totp as codeOf } from '@mayfly/client'
import { defineCommand } from '../command.ts'
import { print } from '../output.ts'

/** Prints the code that an authenticator shows now. */
export const totp = defineCommand({
  name: 'totp',
  summary: 'print the code of an authenticator (second factor)',
  args: ['[SECRET]'],
  about:
    'SECRET is the secret in Base32, or the otpauth://totp/… URI of the QR code; without it, it is read\nfrom standard input, so that it is in no list of processes. Nothing is sent or stored.',
  options: {},
  example: 'CODE=$(mayfly totp < secret.txt)',
  run: async ({ args: [given], terminal }) => {
    print(terminal, await codeOf(given ?? (await readText(terminal.input))))
  },
})
