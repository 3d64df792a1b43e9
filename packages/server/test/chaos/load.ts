// The clients of a run: they send, wait, read, delete, receive webhooks, and note what they see.

import { setTimeout as delay } from 'node:timers/promises'
import type { Receivers } from '../testing-receiver.ts'
import { sendMails } from '../testing-send-mail.ts'
import type { Cluster } from './cluster.ts'
import type { Probe, Read, Send, Wait, WebhookRequest } from './history.ts'

/** What the clients have seen so far. */
export type Seen = {
  readonly sends: Send[]
  readonly reads: Read[]
  readonly waits: Wait[]
  readonly webhookRequests: WebhookRequest[]
  readonly probes: Probe[]
  readonly deletedInboxIds: string[]
  readonly inboxIds: string[]
}

/** Clients that run until they are stopped, at the latest with the disposal. */
export type Load = AsyncDisposable & { readonly seen: Seen; stop(): Promise<void> }

/** What the clients use. */
type LoadOptions = {
  readonly random: () => number
  readonly receivers: Receivers
  /** How many wait at a time. */
  readonly waiters: number
  /** How much longer clients pause than in the long form. */
  readonly pauseFactor: number
}

type SendOptions = { readonly token?: string | undefined; readonly replyMsMax?: number }

type Inbox = { readonly id: string; readonly emailAddress: string }

const SENDERS = 6
/** Inboxes that they send to at a time. */
const TARGETS = 3
/** Pauses of those who send, delete and read. */
const PAUSE_MS = { send: 60, delete: 300, read: 100 }
/** Inboxes hold 1,000 mails: senders turn to another one now and then. */
const MAILS_AN_INBOX = 150
const WAIT_SECONDS = 4
const PROBE_MS = 300
/** The next fault waits for a probe: these pause at most so much longer. */
const PROBE_FACTOR_MAX = 3
const PROBE_MS_MAX = 4_000
/** Longest wait for a reply; then it counts as lost. */
const REPLY_MS_MAX = 20_000
const PAGE = 50
/** Percentage of events that are refused at the first attempt; the third is a minute later. */
const REFUSED_PERCENT = 10

/** Starts all clients of a cluster. */
export async function startLoad(
  cluster: Cluster,
  { random, receivers, waiters, pauseFactor }: LoadOptions,
): Promise<Load> {
  const client = new Clients(cluster, { random, pauseFactor })
  await client.receiveWebhooks(receivers)
  for (const node of cluster.nodes.keys()) await client.prepareProbe(node)
  const loops = [
    ...Array.from({ length: SENDERS }, (_, i) => client.repeat(() => client.sendToOne(i))),
    ...Array.from({ length: waiters }, () => client.repeat(() => client.wait())),
    client.repeat(() => client.deleteWhileMailArrives()),
    client.repeat(() => client.read('reader')),
    ...cluster.nodes.map((_, node) => client.repeat(() => client.probe(node))),
  ]
  const stop = async () => {
    client.isStopped = true
    await Promise.all(loops)
  }
  return { seen: client.seen, stop, [Symbol.asyncDispose]: stop }
}

class Clients {
  readonly seen: Seen = {
    sends: [],
    reads: [],
    waits: [],
    webhookRequests: [],
    probes: [],
    deletedInboxIds: [],
    inboxIds: [],
  }
  isStopped = false
  readonly #cluster: Cluster
  readonly #random: () => number
  readonly #pauseFactor: number
  readonly #targets = new Map<string, { inbox: Inbox; left: number }>()
  #tokens = 0

  constructor(cluster: Cluster, options: Pick<LoadOptions, 'random' | 'pauseFactor'>) {
    this.#cluster = cluster
    this.#random = options.random
    this.#pauseFactor = options.pauseFactor
  }

  /** Repeats work whose failures are those of the cluster. */
  async repeat(work: () => Promise<void>): Promise<void> {
    while (!this.isStopped) {
      await work().catch(() => delay(100))
    }
  }

  async receiveWebhooks(receivers: Receivers): Promise<void> {
    const receiver = await receivers.open(({ eventId, body }, response) => {
      const isFirst = !this.seen.webhookRequests.some((one) => one.eventId === eventId)
      const status = isFirst && this.#random() * 100 < REFUSED_PERCENT ? 500 : 200
      // Our own events, whose shape the contract tells.
      const token: string = JSON.parse(body).data.message.subject
      this.seen.webhookRequests.push({ eventId, token, body, status })
      response.writeHead(status).end()
    })
    await this.#cluster.api(0).post('/v1/webhooks', { url: receiver.url })
  }

  async sendToOne(sender: number): Promise<void> {
    const target = await this.#target(`sender ${sender % TARGETS}`)
    await this.#send(this.#anyNode(), target)
    await this.#pause('send')
  }

  async wait(): Promise<void> {
    const inbox = await this.#createInbox()
    const beganAt = performance.now()
    // Half of the waits ask for one of several mails.
    const askedFor = this.#random() < 0.5 ? this.#newToken() : null
    const filter = askedFor === null ? '' : `&subjectContains=${askedFor}`
    const waiting = this.#cluster
      .api(this.#anyNode())
      .get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=${WAIT_SECONDS}${filter}`)
    const tokens = askedFor === null ? [undefined] : [undefined, askedFor, undefined]
    const sending = Promise.all(
      tokens.map(async (token) => {
        await delay(this.#random() * WAIT_SECONDS * 1_000)
        await this.#send(this.#anyNode(), inbox, { token })
      }),
    )
    try {
      const { status, body } = await waiting
      this.seen.waits.push({
        inboxId: inbox.id,
        // From before the request was sent: the service's deadline is later than this.
        deadlineAt: beganAt + WAIT_SECONDS * 1_000,
        status,
        token: body?.message?.subject ?? null,
        askedFor,
      })
    } finally {
      await sending
    }
  }

  async deleteWhileMailArrives(): Promise<void> {
    const inbox = await this.#createInbox()
    // First, because an answer that is lost may have deleted it.
    this.seen.deletedInboxIds.push(inbox.id)
    const sending = Promise.all([0, 1, 2, 3].map(() => this.#send(this.#anyNode(), inbox)))
    await delay(this.#random() * 60)
    await this.#cluster
      .api(this.#anyNode())
      .delete(`/v1/inboxes/${inbox.id}`)
      .catch(() => {})
    await sending
    await this.#pause('delete')
  }

  async read(reader: string): Promise<void> {
    const { id } = await this.#target(`sender ${Math.floor(this.#random() * TARGETS)}`)
    const api = this.#cluster.api(this.#anyNode())
    const { status, body } = await api.get(`/v1/inboxes/${id}/messages?limit=${PAGE}`)
    if (status === 200) {
      const messageIds = body.messages.map((message: { id: string }) => message.id)
      this.seen.reads.push({
        inboxId: id,
        reader,
        messageIds,
        isCut: body.nextCursor !== null,
      })
    }
    await this.#pause('read')
  }

  async prepareProbe(node: number): Promise<void> {
    await this.#target(`probe ${node}`)
  }

  async probe(node: number): Promise<void> {
    const inbox = await this.#target(`probe ${node}`)
    const reply = await this.#send(node, inbox, { replyMsMax: PROBE_MS_MAX })
    const isAccepted = reply?.startsWith('250') === true
    this.seen.probes.push({ node, at: performance.now(), isAccepted })
    await delay(PROBE_MS * Math.min(this.#pauseFactor, PROBE_FACTOR_MAX))
  }

  /** A subject that no other contains. */
  #newToken(): string {
    this.#tokens += 1
    return `t${this.#tokens}.`
  }

  async #send(node: number, inbox: Inbox, options: SendOptions = {}): Promise<string | null> {
    const { token = this.#newToken(), replyMsMax = REPLY_MS_MAX } = options
    const startedAt = performance.now()
    const mail = { to: inbox.emailAddress, subject: token }
    const gaveUp = delay(replyMsMax, null, { ref: false })
    const port = this.#cluster.nodes[node]?.smtpPort ?? 0
    const sent = sendMails(port, [mail]).then(
      ([answer]) => answer?.mail ?? answer?.recipients.join() ?? null,
      () => null,
    )
    const reply = await Promise.race([sent, gaveUp])
    const about = { token, inboxId: inbox.id, node, startedAt, endedAt: performance.now() }
    this.seen.sends.push({ ...about, reply })
    return reply
  }

  /** An inbox that takes some mails, then another one. */
  async #target(name: string): Promise<Inbox> {
    const target = this.#targets.get(name)
    if (target !== undefined && target.left > 0) {
      target.left -= 1
      return target.inbox
    }
    const inbox = await this.#createInbox()
    this.#targets.set(name, { inbox, left: MAILS_AN_INBOX })
    return inbox
  }

  async #createInbox(): Promise<Inbox> {
    const { status, body } = await this.#cluster.api(this.#anyNode()).post('/v1/inboxes')
    if (status !== 201) throw new Error(`no inbox: ${status}`)
    this.seen.inboxIds.push(body.inbox.id)
    return body.inbox
  }

  /** Half to one and a half of the usual pause. */
  async #pause(kind: keyof typeof PAUSE_MS): Promise<void> {
    await delay(PAUSE_MS[kind] * this.#pauseFactor * (0.5 + this.#random()))
  }

  #anyNode(): number {
    return Math.floor(this.#random() * this.#cluster.nodes.length)
  }
}
