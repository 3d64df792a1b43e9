// Scans of attachments that wait for the scanner.
//
// Anything can happen to the scanner on an attachment: it can crash, stay silent or respond slowly.
// That is counted for the attachment, and one that failed comes after all others, alone. Before a
// scan that follows a failure, the scanner must scan a harmless text: a scanner that is out of
// order is no fault of the attachments.

import type { AttachmentId } from '@mayfly/contract'
import { decodeTransfer } from '@mayfly/mail'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { UnscannedAttachment } from '../../store/tables/attachments.ts'

/** A result of the scanner; `failed` when it does not scan these bytes. */
type ScanResult =
  | { readonly state: 'clean' }
  | { readonly state: 'infected'; readonly name: string }
  | { readonly state: 'failed'; readonly reason: string }

export type ScanDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** Null when the mail was deleted. */
  readonly readRaw: (mailId: string) => Promise<Buffer | null>
  /** Throws when the scanner does not respond. */
  readonly scan: (bytes: Buffer) => Promise<ScanResult>
  /** Resolves once the verdict is stored. */
  readonly record: (
    attachment: Pick<UnscannedAttachment, 'id' | 'mailId'>,
    verdict: { readonly status: 'available' | 'quarantined'; readonly reason: string | null },
  ) => Promise<void>
  /** Whether more attachments wait since the scans began. */
  readonly isDue: () => boolean
  readonly stopped: AbortSignal
}

/** Scans of an attachment that have failed, and the time of the last one. */
type Failures = { readonly count: number; readonly at: number }

/** Attachments that the scanner failed on, and that will be scanned again. */
export type FailedScans = Map<AttachmentId, Failures>

/** Scans at a time. */
const SCANS_MAX = 4

/** Attachments of one account in each round of all accounts. */
const ROUND_MAX = 8

/** Failures after which an attachment stays quarantined for good. */
const FAILURES_MAX = 3

/** Attachments that are scanned again; a failure beyond it is final. */
const FAILED_MAX = 1_000

/** Time between two scans of an attachment, in which the scanner can be started again. */
const RETRY_MS = 15_000

/** Clean, for every scanner that works. */
const HARMLESS = Buffer.from('Mayfly asks whether the scanner works.')

/**
 * Scans the attachments that wait, alternating the accounts, and then those that failed before.
 * Throws when the scanner does not work; what is unscanned stays quarantined until the next call.
 */
export async function scanAttachments(deps: ScanDeps, failed: FailedScans): Promise<void> {
  const scanner = new Scanner(deps, failed)
  let before = new Set<AttachmentId>()
  for (;;) {
    const except = [...failed.keys()]
    const round = await deps.store.attachments.listUnscanned({ except, roundMax: ROUND_MAX })
    // An attachment that is listed again is being deleted.
    const waiting = round.filter(({ id }) => !before.has(id))
    if (waiting.length === 0) break
    before = new Set(round.map(({ id }) => id))
    await scanner.scanAll(waiting)
  }
  for (const [id, { at }] of failed) {
    if (deps.clock.now() - at < RETRY_MS) continue
    const attachment = await deps.store.attachments.findUnscanned(id)
    if (attachment === null) failed.delete(id)
    else await scanner.scan(attachment)
    if (deps.isDue()) return
  }
}

class Scanner {
  readonly #deps: ScanDeps
  readonly #failed: FailedScans
  #isWorking = false

  constructor(deps: ScanDeps, failed: FailedScans) {
    this.#deps = deps
    this.#failed = failed
  }

  /** Scans several at a time, in their order; throws after all that were begun. */
  async scanAll(attachments: readonly UnscannedAttachment[]): Promise<void> {
    const waiting = attachments.values()
    const scanNext = async () => {
      for (const attachment of waiting) await this.scan(attachment)
    }
    const results = await Promise.allSettled(Array.from({ length: SCANS_MAX }, scanNext))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  /** Scans one; throws when the scanner does not work. */
  async scan({ id, mailId, ...part }: UnscannedAttachment): Promise<void> {
    const raw = await this.#deps.readRaw(mailId)
    if (raw === null) return
    await this.#checkScanner()
    const encoded = raw.subarray(part.bodyStart, part.bodyEnd)
    const result = await this.#tryScan(decodeTransfer(encoded, part.bodyEncoding))
    if (result.state === 'failed') {
      const count = (this.#failed.get(id)?.count ?? 0) + 1
      const isFinal = count === FAILURES_MAX || this.#failed.size >= FAILED_MAX
      if (!isFinal) return void this.#failed.set(id, { count, at: this.#deps.clock.now() })
    }
    await this.#deps.record({ id, mailId }, verdictOn(result))
    this.#failed.delete(id)
  }

  async #tryScan(bytes: Buffer): Promise<ScanResult> {
    try {
      return await this.#deps.scan(bytes)
    } catch (error) {
      if (this.#deps.stopped.aborted) throw error
      this.#isWorking = false
      return { state: 'failed', reason: error instanceof Error ? error.message : String(error) }
    }
  }

  async #checkScanner(): Promise<void> {
    if (this.#isWorking) return
    const { state } = await this.#deps.scan(HARMLESS)
    if (state !== 'clean') throw new Error(`the scanner finds a harmless text ${state}`)
    this.#isWorking = true
  }
}

function verdictOn(result: ScanResult) {
  switch (result.state) {
    case 'clean':
      return { status: 'available', reason: null } as const
    case 'infected':
      return { status: 'quarantined', reason: `the scanner found ${result.name}` } as const
    case 'failed':
      return {
        status: 'quarantined',
        reason: `the scanner failed on it ${FAILURES_MAX} times: ${result.reason}`,
      } as const
  }
}
