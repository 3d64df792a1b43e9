// Programs in other languages that send with several clients of providers.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Inbox } from '@mayfly/client'
import { startService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'

/** A program in `clients/`, and the clients that it has. */
type Program = {
  readonly command: string
  readonly args: readonly string[] | ((place: Place) => readonly string[])
  readonly cwd?: string
  readonly env?: (place: Place) => Readonly<Record<string, string>>
  /** The outcomes that each of its clients must have. */
  readonly clients: Readonly<Record<string, Outcomes>>
}

/** The URL of the service, and the file with the CA of its listener for providers. */
type Place = { readonly httpUrl: string; readonly caFile: string }

/**
 * What became of five calls of a client, `sent` or what it shows of the error: a mail; one to a
 * recipient that is no address; one of an account without inboxes; one with a wrong key; one whose
 * first attempt is answered with 429.
 */
export type Outcomes = readonly string[]

/** The folder of the programs. */
export const CLIENTS = join(import.meta.dirname, 'clients')

/**
 * Runs a program and compares the outcomes of its calls. Each mail that a client calls sent must
 * have arrived with its attachment, and no other.
 */
export async function runClients({ clients, ...program }: Program): Promise<void> {
  await using service = await startService({ env: LISTENER })
  const { inbox, key, apiKey } = await givenProject(service)
  const { inboxes } = service.account(apiKey)
  const names = Object.keys(clients)
  const faulty = await Promise.all(
    names.map(async (name) => {
      const own = await inboxes.create({ catchAll: true })
      await own.setFaults([{ phase: 'api', status: 429, retryAfterSeconds: 1, times: 1 }])
      return { name, inbox: own }
    }),
  )
  const settings = {
    url: service.httpUrl,
    root: `https://localhost:${service.providersPort}`,
    key,
    noInbox: (await service.register()).key,
    faults: Object.fromEntries(faulty.map((one) => [one.name, `${apiKey}.${one.inbox.id}`])),
  }
  const place = { httpUrl: service.httpUrl, caFile: caFileOf(service.logged) }
  const args = typeof program.args === 'function' ? program.args(place) : program.args
  const { stdout } = await promisify(execFile)(program.command, args, {
    cwd: program.cwd ?? CLIENTS,
    env: { ...process.env, ...program.env?.(place), MAYFLY_CLIENTS: JSON.stringify(settings) },
  })
  assert.deepEqual(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), clients)
  const sent = (call: number) => names.filter((name) => clients[name]?.[call] === 'sent')
  assert.deepEqual(await arrived(inbox), sent(0).toSorted())
  const retried = await Promise.all(faulty.map((one) => arrived(one.inbox)))
  assert.deepEqual(retried.flat().toSorted(), sent(4).toSorted())
}

const LISTENER = {
  MAYFLY_PROVIDERS_PORT: '0',
  MAYFLY_PROVIDERS_TLS: 'self-signed',
  MAYFLY_LOG_LEVEL: 'info',
}

function caFileOf(logged: readonly string[]): string {
  const files = logged.map((line) => String(JSON.parse(line).file))
  return files.find((file) => file.endsWith('providers-ca.pem')) ?? assert.fail('no CA')
}

/** The subjects of the mails of an inbox, which are the clients' names. */
async function arrived(inbox: Inbox): Promise<readonly string[]> {
  const { messages } = await inbox.listMessages()
  const read = await Promise.all(messages.map(({ id }) => inbox.readMessage(id)))
  for (const { attachments, otp, subject } of read) {
    const files = attachments.map(({ filename, sizeBytes }) => [filename, sizeBytes])
    assert.deepEqual([subject, files, otp?.value], [subject, [['one.txt', 3]], '481516'])
  }
  return read.map(({ subject }) => String(subject)).toSorted()
}
