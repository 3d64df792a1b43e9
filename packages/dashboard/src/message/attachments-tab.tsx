import type { Attachment, Message } from '@mayfly/client'
import { Badge, Button, CopyButton } from '../components/controls.tsx'
import { Icon } from '../components/icon.tsx'
import { Empty } from '../components/notices.tsx'
import { Sent } from '../components/sent.tsx'
import { openPdf, saveFile } from '../download.ts'
import { sizeText, visibleText } from '../format.ts'
import { messagesOf } from '../session.ts'
import { useLoaded } from '../use-loaded.ts'

/** The attachments of a message with their verdicts. */
export function AttachmentsTab({ message }: { readonly message: Message }) {
  if (message.attachments.length === 0) {
    return <Empty icon="paperclip" title="This mail has no attachment" />
  }
  return (
    <ul class="attachments">
      {message.attachments.map((attachment) => (
        <li key={attachment.id} class="card">
          <AttachmentCard message={message} attachment={attachment} />
        </li>
      ))}
    </ul>
  )
}

function AttachmentCard(props: { readonly message: Message; readonly attachment: Attachment }) {
  const { message, attachment } = props
  const { id, filename, status, reason } = attachment
  const name = filename ?? 'Unnamed'
  const read = () => messagesOf(message.inboxId).attachment(message.id, id)
  const download = async () => saveFile(await read(), visibleText(name))
  const open = async () => openPdf(await read())
  return (
    <>
      {isShown(attachment) ? (
        <Thumbnail message={message} attachment={attachment} />
      ) : (
        <Icon name="file" size={22} />
      )}
      <div class="attachment-facts">
        <p class="attachment-name">
          <strong>
            <Sent text={name} />
          </strong>
          {status === 'available' ? null : (
            <Badge kind={status === 'blocked' ? 'warn' : 'bad'}>{status}</Badge>
          )}
          {attachment.inline ? <Badge>inline</Badge> : null}
        </p>
        <p class="muted">
          <Sent text={attachment.contentType} /> · {sizeText(attachment.sizeBytes)}
        </p>
        {reason === null ? null : (
          <p>
            <Sent text={reason} />
          </p>
        )}
        <p class="hash muted" title={attachment.sha256}>
          SHA-256 <code>{attachment.sha256.slice(0, 12)}…</code>
          <CopyButton text={attachment.sha256} what="SHA-256" />
        </p>
      </div>
      {status === 'available' && attachment.contentType === 'application/pdf' ? (
        <Button icon="file" onClick={open}>
          Open
        </Button>
      ) : null}
      <Button icon="download" isDisabled={status !== 'available'} onClick={download}>
        Download
      </Button>
    </>
  )
}

/** Images that browsers only draw. */
const IMAGE = /^image\/(?:png|gif|jpeg|webp)$/
/** Largest image that is read to be shown: a list may have a hundred. */
const SHOWN_BYTES_MAX = 1024 * 1024

function isShown({ contentType, sizeBytes, status }: Attachment): boolean {
  return status === 'available' && IMAGE.test(contentType) && sizeBytes <= SHOWN_BYTES_MAX
}

function Thumbnail(props: { readonly message: Message; readonly attachment: Attachment }) {
  const { inboxId, id: messageId } = props.message
  const { id, contentType } = props.attachment
  const source = useLoaded(id, async (signal) => {
    const bytes = await messagesOf(inboxId).attachment(messageId, id, { signal })
    const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
    return `data:${contentType};base64,${btoa(binary)}`
  })
  if (source.value === null) return <Icon name="image" size={22} />
  return <img class="thumbnail" src={source.value} alt="" />
}
