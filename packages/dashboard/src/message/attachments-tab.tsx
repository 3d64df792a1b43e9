import type { Attachment, Message } from '@mayfly/client'
import { Badge, Button, Copyable } from '../components/controls.tsx'
import { Icon } from '../components/icon.tsx'
import { Empty } from '../components/notices.tsx'
import { Sent } from '../components/sent.tsx'
import { saveFile } from '../download.ts'
import { sizeText, visibleText } from '../format.ts'
import { messagesOf } from '../session.ts'

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
  const download = async () => {
    saveFile(await messagesOf(message.inboxId).attachment(message.id, id), visibleText(name))
  }
  return (
    <>
      <Icon name="file" size={22} />
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
        <p class="hash">
          <span class="muted">SHA-256</span> <Copyable text={attachment.sha256} what="hash" />
        </p>
      </div>
      <Button icon="download" isDisabled={status !== 'available'} onClick={download}>
        Download
      </Button>
    </>
  )
}
