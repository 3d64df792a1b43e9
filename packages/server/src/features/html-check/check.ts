// Which mail clients support the HTML of a message. As features/messages/present.ts, it does not
// run on the API's thread.

import type { AccountId, HtmlCheck } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { MessageRef } from '../messages/message-ref.ts'
import { throwNotFound } from '../rules/not-found.ts'

export type HtmlCheckDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** Functions that run in another thread. */
  readonly content: {
    readonly composeHtmlCheck: (owner: AccountId, ref: MessageRef) => Promise<Uint8Array | null>
  }
}

/** The JSON of which mail clients support the HTML of a message. */
export async function readHtmlCheck(
  deps: HtmlCheckDeps,
  caller: Caller,
  ref: MessageRef,
): Promise<Uint8Array> {
  const json = await deps.content.composeHtmlCheck(caller.accountId, ref)
  return json ?? throwNotFound(deps, caller, ref)
}

/** The same; null when there is no such message. */
export async function composeHtmlCheck(
  deps: { readonly store: Tables },
  owner: AccountId,
  { inboxId, messageId }: MessageRef,
): Promise<Uint8Array | null> {
  const stored = await deps.store.messages.find(owner, inboxId, messageId)
  if (stored === null) return null
  return new TextEncoder().encode(JSON.stringify(await checkOf(stored.html)))
}

async function checkOf(html: string | null): Promise<HtmlCheck> {
  // Loaded with the first check: the data is large.
  const { checkHtml, newestResults } = await import('@mayfly/mail/html-check')
  const { dataDate, elementCount, features, clients } = checkHtml(html ?? '')
  const warnings = features.map(({ feature, found }) => {
    const { slug, title, description, url, category } = feature
    const results = newestResults(feature).flatMap(({ client, version, support, notes }) => {
      if (support !== 'partial' && support !== 'unsupported') return []
      return [{ client, version, support, notes: notes.map((note) => feature.notes[note] ?? '') }]
    })
    return { slug, title, description, url, category, found, results }
  })
  return {
    hasHtml: html !== null,
    dataDate,
    elementCount,
    featureCount: features.length,
    support: meanOf(clients),
    clients: [...clients],
    warnings: warnings
      .filter(({ results }) => results.length > 0)
      .sort((a, b) => b.results.length - a.results.length),
  }
}

function meanOf(clients: Readonly<HtmlCheck['clients']>): HtmlCheck['support'] {
  if (clients.length === 0) return null
  const mean = (share: 'supported' | 'partial' | 'unsupported') => {
    const sum = clients.reduce((all, client) => all + client[share], 0)
    return Math.round((10 * sum) / clients.length) / 10
  }
  return {
    supported: mean('supported'),
    partial: mean('partial'),
    unsupported: mean('unsupported'),
  }
}
