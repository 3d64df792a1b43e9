import { keepHttp, keepSmtp } from './kept-connections.ts'
import { type Quantiles, quantiles } from './report.ts'

/** An account as a load reaches it. */
export type LoadTarget = {
  readonly httpUrl: string
  readonly apiKey: string
  readonly smtpHost: string
  readonly smtpPort: number
}

/** An inbox of the target. */
type LoadInbox = { readonly id: string; readonly emailAddress: string }

/** What a load did while it ran. */
export type LoadResult = {
  readonly perSecond: number
  readonly ms: Quantiles
  readonly errors: number
}

/** Mails without a pause for so many seconds, over a connection for each inbox. */
export function sendMails(
  target: LoadTarget,
  inboxes: readonly LoadInbox[],
  seconds: number,
): Promise<LoadResult> {
  return loop(inboxes, seconds, async (inbox) => {
    const smtp = await keepSmtp(target.smtpPort, target.smtpHost)
    return {
      once: () => smtp.send(inbox.emailAddress),
      [Symbol.dispose]: () => smtp[Symbol.dispose](),
    }
  })
}

/** The same, each mail for a wait that is open already: the time is from mail to answer. */
export function answerWaits(
  target: LoadTarget,
  inboxes: readonly LoadInbox[],
  seconds: number,
): Promise<LoadResult> {
  return loop(inboxes, seconds, async (inbox) => {
    const http = await keepHttp(target)
    const smtp = await keepSmtp(target.smtpPort, target.smtpHost)
    return {
      once: async () => {
        // The mail of the turn before was received earlier than this.
        const since = new Date().toISOString()
        const path = `/v1/inboxes/${inbox.id}/wait?timeoutSeconds=20&since=${since}`
        const answered = http.get(path)
        // By then the wait is held: the dialogue before the mail takes three round trips.
        const sentAt = await smtp.send(inbox.emailAddress)
        await answered
        return sentAt
      },
      [Symbol.dispose]: () => {
        http[Symbol.dispose]()
        smtp[Symbol.dispose]()
      },
    }
  })
}

async function loop(
  inboxes: readonly LoadInbox[],
  seconds: number,
  open: (inbox: LoadInbox) => Promise<Disposable & { once(): Promise<number> }>,
): Promise<LoadResult> {
  const times: number[] = []
  let errors = 0
  const endsAt = performance.now() + seconds * 1000
  const run = async (inbox: LoadInbox) => {
    while (performance.now() < endsAt) {
      try {
        using opened = await open(inbox)
        while (performance.now() < endsAt) {
          const sentAt = await opened.once()
          times.push(performance.now() - sentAt)
        }
      } catch {
        errors += 1
      }
    }
  }
  await Promise.all(inboxes.map(run))
  return { perSecond: times.length / seconds, ms: quantiles(times), errors }
}
