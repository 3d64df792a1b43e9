import type { History, Probe, Send, StoredInbox } from './history.ts'

/** Something that must not happen. */
export type Violation = { readonly kind: string; readonly detail: string }

/** What a checker may be told. */
export type CheckOptions = {
  /** Longest time from the end of a fault until a node accepts mail again. */
  readonly recoveryMsMax: number
}

/** An acknowledgement so long before the deadline of a wait must end the wait. */
const WAIT_SLACK_MS = 1_000

const ATTEMPTS_MAX = 5
const MESSAGES_MAX = 1_000
const BYTES_MAX = 250 * 1024 * 1024

/** Everything in a history that must not happen. */
export function checkHistory(history: History, options: CheckOptions): readonly Violation[] {
  return [
    ...checkMails(history),
    ...history.inboxes.flatMap((inbox) => [...checkInbox(inbox)]),
    ...checkNumbers(history),
    ...checkReads(history),
    ...checkWaits(history),
    ...checkWebhooks(history),
    ...checkRecovery(history, options),
    ...history.exits.map(({ node, reason }) => ({
      kind: 'process ended',
      detail: `node ${node}: ${reason}`,
    })),
    ...Object.entries(history.orphans)
      .filter(([, count]) => count > 0)
      .map(([table, count]) => ({ kind: 'orphan', detail: `${count} rows of ${table}` })),
  ]
}

/** Each acknowledged mail is there exactly once, and nothing that was not sent. */
function* checkMails({ sends, inboxes, deletedInboxIds }: History): Iterable<Violation> {
  const deleted = new Set(deletedInboxIds)
  const stored = Map.groupBy(
    inboxes.flatMap(({ inboxId, messages }) => messages.map(({ token }) => ({ inboxId, token }))),
    ({ token }) => token,
  )
  const sent = new Map(sends.map((send) => [send.token, send]))
  for (const { token, inboxId, reply } of sends) {
    if (isAcknowledged(reply) && !deleted.has(inboxId) && !stored.has(token)) {
      yield { kind: 'lost', detail: `${token} was acknowledged, and is not in ${inboxId}` }
    }
  }
  for (const [token, places] of stored) {
    if (places.length > 1) {
      yield { kind: 'doubled', detail: `${token} is stored ${places.length} times` }
    }
    if (places.some(({ inboxId }) => sent.get(token)?.inboxId !== inboxId)) {
      yield { kind: 'not sent', detail: `${token} was not sent to ${places[0]?.inboxId}` }
    }
  }
}

/** The numbers of an inbox have no gap, and it is within its bounds. */
function* checkInbox(inbox: StoredInbox): Iterable<Violation> {
  const { inboxId, messages, lastSequence, messageCount, sizeBytes } = inbox
  const numbers = messages.map(({ sequence }) => sequence).sort((a, b) => a - b)
  if (numbers.some((number, i) => number !== i + 1) || lastSequence !== numbers.length) {
    yield { kind: 'numbering', detail: `${inboxId}: ${numbers.join()} of ${lastSequence}` }
  }
  if (messageCount !== messages.length) {
    yield { kind: 'count', detail: `${inboxId}: ${messageCount} counted, ${messages.length} there` }
  }
  if (messages.length > MESSAGES_MAX || sizeBytes > BYTES_MAX) {
    yield { kind: 'over bounds', detail: `${inboxId}: ${messages.length}, ${sizeBytes} bytes` }
  }
}

/** The numbers of an inbox follow the order of sending, and that in which readers saw its mails. */
function* checkNumbers({ sends, reads, inboxes }: History): Iterable<Violation> {
  const numbers = new Map(
    inboxes.flatMap(({ messages }) =>
      messages.flatMap((one) => [
        [one.token, one],
        [one.id, one],
      ]),
    ),
  )
  const sendsOf = Map.groupBy(sends, ({ inboxId }) => inboxId)
  for (const [inboxId, all] of sendsOf) {
    const acknowledged = all.filter(({ reply }) => isAcknowledged(reply))
    for (const later of acknowledged) {
      const number = numbers.get(later.token)?.sequence ?? Number.POSITIVE_INFINITY
      const earlier = acknowledged.find(
        (one) => one.endedAt < later.startedAt && (numbers.get(one.token)?.sequence ?? 0) > number,
      )
      if (earlier === undefined) continue
      const detail = `${inboxId}: ${earlier.token} was stored before ${later.token}, and comes after`
      yield { kind: 'order', detail }
    }
  }
  for (const { inboxId, reader, messageIds } of reads) {
    const met = messageIds.flatMap((id) => numbers.get(id)?.sequence ?? [])
    if (met.some((number, i) => number > (met[i - 1] ?? number))) {
      yield { kind: 'order', detail: `${reader} ${inboxId}: met ${met.join()}` }
    }
  }
}

/** What a reader saw stays, and what is new comes before it. */
function* checkReads({ reads }: History): Iterable<Violation> {
  for (const [key, pages] of Map.groupBy(reads, ({ reader, inboxId }) => `${reader} ${inboxId}`)) {
    for (const [i, page] of pages.entries()) {
      const before = pages[i - 1]
      if (before === undefined) continue
      const newCount = page.messageIds.findIndex((id) => before.messageIds.includes(id))
      const kept = newCount === -1 ? [] : page.messageIds.slice(newCount)
      const expected = page.isCut ? before.messageIds.slice(0, kept.length) : before.messageIds
      if (kept.join() !== expected.join()) {
        yield { kind: 'order', detail: `${key}: ${expected.join()} became ${kept.join()}` }
      }
    }
  }
}

/** A wait that found nothing had nothing to find; one that found something found what was sent. */
function* checkWaits({ waits, sends }: History): Iterable<Violation> {
  const byInbox = Map.groupBy(sends, ({ inboxId }) => inboxId)
  for (const { inboxId, status, token, askedFor, deadlineAt } of waits) {
    const mails: readonly Send[] = byInbox.get(inboxId) ?? []
    const missed = mails.find(
      (mail) =>
        isAcknowledged(mail.reply) &&
        mail.endedAt < deadlineAt - WAIT_SLACK_MS &&
        (askedFor === null || mail.token === askedFor),
    )
    if (status === 408 && missed !== undefined) {
      const earlyMs = Math.round(deadlineAt - missed.endedAt)
      yield {
        kind: 'missed',
        detail: `${missed.token}, ${earlyMs} ms before a wait ended with 408`,
      }
    }
    if (status === 200 && askedFor !== null && token !== askedFor) {
      yield { kind: 'other', detail: `a wait on ${inboxId} for ${askedFor} found ${token}` }
    }
    if (status === 200 && !mails.some((mail) => mail.token === token)) {
      yield { kind: 'not sent', detail: `a wait on ${inboxId} found ${token}` }
    }
  }
}

/** Each stored mail is delivered; at most five attempts of an event, all with the same bytes. */
function* checkWebhooks({ webhookRequests, inboxes }: History): Iterable<Violation> {
  for (const [eventId, requests] of Map.groupBy(webhookRequests, (one) => one.eventId)) {
    if (requests.length > ATTEMPTS_MAX) {
      yield { kind: 'attempts', detail: `${eventId} was sent ${requests.length} times` }
    }
    if (new Set(requests.map(({ body }) => body)).size > 1) {
      yield { kind: 'bytes', detail: `${eventId} was sent with different bytes` }
    }
  }
  if (webhookRequests.length === 0) return
  const delivered = new Set(
    webhookRequests.filter(({ status }) => status === 200).map(({ token }) => token),
  )
  for (const { token } of inboxes.flatMap(({ messages }) => messages)) {
    if (!delivered.has(token)) {
      yield { kind: 'event lost', detail: `no event of ${token} was delivered` }
    }
  }
}

/** Every node accepts mail again soon after a fault. */
function* checkRecovery({ faults, probes }: History, options: CheckOptions): Iterable<Violation> {
  for (const { kind, nodes, endedAt } of faults) {
    for (const node of nodes) {
      const tookMs = recoveryMs(probes, node, endedAt)
      if (tookMs > options.recoveryMsMax) {
        yield { kind: 'recovery', detail: `node ${node} took ${tookMs} ms after ${kind}` }
      }
    }
  }
}

/** From this time until a node next accepts a mail. */
export function recoveryMs(probes: readonly Probe[], node: number, since: number): number {
  const accepted = probes.find((one) => one.node === node && one.at >= since && one.isAccepted)
  return accepted === undefined ? Number.POSITIVE_INFINITY : Math.round(accepted.at - since)
}

function isAcknowledged(reply: string | null): boolean {
  return reply?.startsWith('250') === true
}
