// What this page has marked as read or unread. Until an event of the service says the same, what is
// read or announced of the message may be older than the mark.

import { EVENT_MS_MAX } from './inboxes.ts'

type Markable = { readonly id: string; readonly read: boolean }

const marks = new Map<string, { readonly read: boolean }>()

/** Keeps a mark while `call` sets it in the service and until its event has come. */
export async function keepMark({ id, read }: Markable, call: Promise<unknown>): Promise<void> {
  const mark = { read }
  const forget = () => {
    if (marks.get(id) === mark) marks.delete(id)
  }
  marks.set(id, mark)
  try {
    await call
    setTimeout(forget, EVENT_MS_MAX)
  } catch (error) {
    forget()
    throw error
  }
}

/** A message that was read, as this page has marked it. */
export function asMarked<M extends Markable>(message: M): M {
  return { ...message, ...marks.get(message.id) }
}

/** A message that was announced, as this page has marked it; the mark may be in it now. */
export function settleMark<M extends Markable>(message: M): M {
  if (marks.get(message.id)?.read === message.read) marks.delete(message.id)
  return asMarked(message)
}
