import { createTransport, type SendMailOptions } from 'nodemailer'
import type { TestDatabase } from '../testing-databases.ts'
import { startService, type TestService } from '../testing-start-service.ts'

/** A service that takes mail without credentials, as a mail catcher does. */
export async function startCatchAll(
  database: TestDatabase,
  env: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  return startService({ database, env: { MAYFLY_CATCH_ALL: 'on', ...env }, hasLocalAccount: true })
}

/** Sends a mail as an application does, with credentials or without; returns the reply to it. */
export async function send(
  { smtpPort }: Pick<TestService, 'smtpPort'>,
  mail: SendMailOptions,
  auth?: { readonly user: string; readonly pass: string },
): Promise<string> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    ...(auth === undefined ? {} : { auth }),
  })
  const { response } = await transport.sendMail({ from: 'Shop <shop@example.com>', ...mail })
  return response
}
