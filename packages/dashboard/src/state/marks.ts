// Messages that this page has marked as read or unread. Until the event of the mark, other data
// about the message may be older than the mark.

/** How late an event may come: until then loaded data may be older than a mark. */
const EVENT_MS_MAX = 3_000

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
