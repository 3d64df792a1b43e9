import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DiagnosticId, Inbox } from '@mayfly/contract'
import type { RefusalCode } from '../../store/schema.ts'
import type { StoredDiagnosticEvent } from '../../store/tables/diagnostics.ts'
import { nextSteps, type Observed } from './next-steps.ts'

const NOW = Date.UTC(2026, 0, 1, 14, 30)

// A brand by hand: the test needs a fixed id.
const INBOX = {
  id: 'inb_1',
  emailAddress: 'john.doe@mayfly.test',
  createdAt: '2026-01-01T14:00:00.000Z',
  expiresAt: '2026-01-02T14:00:00.000Z',
  messageCount: 0,
  unreadCount: 0,
  state: 'active',
  environment: 'live',
  watermark: '0',
} as Inbox

const OBSERVED: Observed = {
  inbox: INBOX,
  events: [],
  stored: [],
  domain: { domain: 'mayfly.test', status: 'active' },
  mailHost: 'mx.mayfly.test',
  smtpAddress: '127.0.0.1:1025',
  startedAt: Date.parse(INBOX.createdAt) - 1,
  lastConnectionAt: null,
  failedHandshakes: null,
  refusedCommand: null,
  now: NOW,
}

const at = '2026-01-01T14:29:48.000Z'

const REFUSED = { at: NOW - 5_000, name: 'ada@elsewhere.example', reply: '550 No' } as const

const HANDSHAKE = {
  count: 1,
  at: NOW - 5_000,
  remoteAddress: '192.0.2.7',
  helo: 'app',
  reason: 'no shared cipher',
}

/** A stored event and the same as the timeline shows it. */
function observed(event: StoredDiagnosticEvent): Partial<Observed> {
  const { stage, detail } = event
  return { stored: [event], events: [{ stage, at, detail }] }
}

const id = 'dia_1' as DiagnosticId // A brand by hand: the id plays no part.

const refused = (reason: RefusalCode, detail: string) =>
  observed({ id, stage: 'smtp.refused', at, detail, reason })

describe('nextSteps', () => {
  const cases: readonly [string, Partial<Observed>, readonly RegExp[]][] = [
    [
      'nothing connected',
      {},
      [/^No mail client has connected since the inbox was created/, /^Try it by hand: curl smtp:/],
    ],
    [
      'nothing connected since a restart',
      { startedAt: Date.parse(INBOX.createdAt) + 1 },
      [/^No mail client has connected since the service started\./, /curl/],
    ],
    [
      'nothing connected to a catch-all inbox',
      { inbox: { ...INBOX, catchAll: true } },
      [/^No mail/, /curl smtp:.* --user "inb_1:\$MAYFLY_API_KEY" --mail-rcpt anyone@example\.com/],
    ],
    [
      'connected before the inbox was there',
      { lastConnectionAt: Date.parse(INBOX.createdAt) - 1 },
      [/^No mail client has connected since/, /curl/],
    ],
    [
      'connected, nothing for this inbox',
      { lastConnectionAt: NOW - 180_000 },
      [/^A mail client connected 3 min ago, but sent nothing for john\.doe@mayfly\.test/],
    ],
    [
      'connected, nothing for this catch-all inbox',
      { inbox: { ...INBOX, catchAll: true }, lastConnectionAt: NOW - 5_000 },
      [/^A mail client connected 5 s ago, but did not log in .* user name inb_1 and an API key/],
    ],
    [
      'refused as expired',
      {
        inbox: { ...INBOX, state: 'expired' },
        ...refused('inbox_expired', '550 5.1.1 No such inbox (the inbox had expired at 14:02)'),
      },
      [/^The inbox expired at/, /refused 12 s ago: 550 .*expired at 14:02.*larger ttlSeconds\.$/],
    ],
    [
      'refused as too large',
      refused('too_large', '552 5.3.4 Message too large (31 MB of 25)'),
      [/31 MB of 25.*Send a smaller mail\.$/],
    ],
    [
      'refused three times for one reason, which is told once',
      {
        ...refused('no_room', 'x'),
        stored: [466, 467, 468].flatMap((bytes) => [
          ...(refused('no_room', `no room for a mail of ${bytes} bytes`).stored ?? []),
        ]),
      },
      [/for a mail of 466 bytes\. Delete the inbox/],
    ],
    [
      'refused by a code, whatever the sender wrote',
      refused('inbox_suspended', '550 5.1.1 No such inbox (from <had.expired@552.example>)'),
      [/552\.example.*\. Create a new inbox\.$/],
    ],
    [
      'near miss',
      observed({
        ...{ id, stage: 'near.miss', at, recipient: 'jon.doe@mayfly.test' },
        detail: 'mail for jon.doe@mayfly.test was refused: …',
      }),
      [/^A mail for jon\.doe@mayfly\.test was refused 12 s ago; your inbox is john\.doe@/],
    ],
    [
      'domain elsewhere',
      { domain: { domain: 'own.example', status: 'verified' }, lastConnectionAt: NOW },
      [
        /^The domain own\.example is verified\. Point its MX record to mx\.mayfly\.test/,
        /connected/,
      ],
    ],
    [
      'a mail for another address',
      { refusedCommand: { ...REFUSED, kind: 'recipient' }, lastConnectionAt: NOW },
      [/^A mail for "ada@elsewhere\.example" was refused 5 s ago: 550 No\. No inbox/, /connected/],
    ],
    [
      'a login that names no inbox',
      { refusedCommand: { ...REFUSED, kind: 'login' }, lastConnectionAt: NOW },
      [/^A login as "ada@elsewhere\.example" was refused 5 s ago: .*ACCEPT_ANY_AUTH/, /connected/],
    ],
    [
      'a refusal that is known before its connection',
      { refusedCommand: { ...REFUSED, kind: 'recipient' } },
      [/^A mail for "ada@elsewhere\.example" was refused 5 s ago/, /connected 5 s ago/],
    ],
    [
      'a refusal before the inbox was created',
      { refusedCommand: { ...REFUSED, kind: 'login', at: 0 }, lastConnectionAt: NOW },
      [/connected/],
    ],
    [
      'a handshake that failed',
      { failedHandshakes: HANDSHAKE, lastConnectionAt: NOW },
      [/^The TLS handshake .* at 192\.0\.2\.7 \(app\) failed 5 s ago: no shared cipher\. Turn/],
    ],
    [
      'handshakes that failed, after a mail',
      {
        failedHandshakes: { ...HANDSHAKE, count: 3 },
        events: [{ stage: 'message.stored', at, detail: null }],
      },
      [/no shared cipher\. It is one of 3 since the start\./],
    ],
    [
      'a handshake that failed before a mail',
      {
        failedHandshakes: { ...HANDSHAKE, at: Date.parse(at) - 1 },
        events: [{ stage: 'message.stored', at, detail: null }],
      },
      [],
    ],
    ['suspended', { inbox: { ...INBOX, state: 'suspended' } }, [/^The inbox is suspended/]],
    ['all well', { events: [{ stage: 'message.stored', at, detail: null }] }, []],
  ]
  for (const [name, given, steps] of cases) {
    it(`are specific: ${name}`, () => {
      const found = nextSteps({ ...OBSERVED, ...given })
      assert.equal(found.length, steps.length, JSON.stringify(found))
      for (const [i, step] of steps.entries()) assert.match(String(found[i]), step)
    })
  }
})
