import assert from 'node:assert/strict'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { shared } from '../testing-shared.ts'
import {
  startService,
  type TestService,
  type TestServiceOptions,
} from '../testing-start-service.ts'

/** A service that takes mail without credentials, as a mail catcher does. */
export async function startCatchAll(
  options: Omit<TestServiceOptions, 'hasLocalAccount'> = {},
): Promise<TestService> {
  const env = { MAYFLY_CATCH_ALL: 'on', ...options.env }
  return startService({ ...options, env, hasLocalAccount: true })
}

/**
 * A service that takes mail without credentials, shared by the tests of a suite; each begins
 * without a mail.
 */
export function sharedCatchAll(): () => Promise<TestService> {
  const start = shared(async (resources) => resources.use(await startCatchAll()))
  return async () => {
    const service = await start()
    const { status } = await service.anonymous.delete('/api/v1/messages')
    assert.equal(status, 200)
    return service
  }
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
