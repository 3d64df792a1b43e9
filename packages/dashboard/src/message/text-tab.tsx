import type { Message } from '@mayfly/client'
import { Marked } from '../components/marked.tsx'
import { Empty } from '../components/notices.tsx'
import { Sent } from '../components/sent.tsx'

/** Addresses in text; the punctuation of a sentence is not part of them. */
const LINK = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/g

/** The text of a message, its links made of nodes and never of markup. */
export function TextTab({ message: { text } }: { readonly message: Message }) {
  if (text === null || text.trim() === '')
    return <Empty icon="file" title="This mail has no text" />
  return <pre class="mail-text">{withLinks(text)}</pre>
}

function withLinks(text: string) {
  const parts: preact.ComponentChild[] = []
  let end = 0
  for (const match of text.matchAll(LINK)) {
    parts.push(<Marked key={`${end}-`} text={text.slice(end, match.index)} />)
    parts.push(<OutsideLink key={match.index} url={match[0]} text={match[0]} />)
    end = match.index + match[0].length
  }
  parts.push(<Marked key={`${end}-`} text={text.slice(end)} />)
  return parts
}

/** A link of a mail. Only web addresses can be followed; anything else stays text. */
export function OutsideLink({ url, text }: { readonly url: string; readonly text: string }) {
  if (!/^https?:\/\//i.test(url)) return <Sent text={text} />
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      <Sent text={text} />
    </a>
  )
}
