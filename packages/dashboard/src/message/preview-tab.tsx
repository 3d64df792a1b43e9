import type { Message } from '@mayfly/client'
import { useSignal } from '@preact/signals'
import { Button, Segments } from '../components/controls.tsx'
import { Failure, Loading } from '../components/notices.tsx'
import { messagesOf } from '../session.ts'
import { useLoaded } from '../use-loaded.ts'
import { fixedWidthOf } from './fixed-width.ts'
import { TextTab } from './text-tab.tsx'

const WIDTHS = [
  ['320', '320'],
  ['375', '375'],
  ['768', '768'],
  ['full', 'Full'],
] as const

/** Dark styles of a mail, or its word that it has some. */
const HAS_DARK = /prefers-color-scheme|name="color-scheme"/

/** A message as a reader sees it: its HTML, or its text without one. */
export function PreviewTab({ message }: { readonly message: Message }) {
  return message.html === null ? <TextTab message={message} /> : <HtmlPreview message={message} />
}

/**
 * The HTML of a message, in a frame with an address of its own that allows neither scripts nor the
 * origin of this page. It fills the pane and scrolls by itself: nothing here reads it.
 */
function HtmlPreview({ message }: { readonly message: Message }) {
  const width = useSignal<(typeof WIDTHS)[number][0]>('full')
  const scheme = useSignal<'light' | 'dark'>('light')
  const hasImages = useSignal(false)
  const { id, inboxId } = message
  const remoteImages = hasImages.value ? 'allow' : 'block'
  const frame = useLoaded(`${id} ${remoteImages}`, async (signal) => {
    const made = await messagesOf(inboxId).frame(id, { remoteImages, signal })
    // As text: the frame has another origin, and cannot be measured.
    const document = await (await fetch(made.url, { signal })).text()
    return { ...made, widthPx: fixedWidthOf(document), hasDark: HAS_DARK.test(document) }
  })
  return (
    <div class="preview">
      <div class="preview-tools">
        <div class="preview-widths">
          <Segments
            label="Width"
            values={WIDTHS}
            selected={width.value}
            onSelect={(value) => {
              width.value = value
            }}
          />
        </div>
        <Segments
          label="Colours of the mail"
          values={[
            ['light', 'Light'],
            ['dark', 'Dark'],
          ]}
          selected={scheme.value}
          onSelect={(value) => {
            scheme.value = value
          }}
        />
        <span class="spring muted">
          {scheme.value === 'dark' && frame.value?.hasDark === false
            ? 'This mail has no dark styles.'
            : null}
        </span>
        {hasImages.value || frame.value?.hasRemoteImages ? (
          <Button
            isSmall
            icon="image"
            isDisabled={hasImages.value}
            onClick={() => {
              hasImages.value = true
            }}
          >
            {hasImages.value ? 'Remote images shown' : 'Load remote images'}
          </Button>
        ) : null}
      </div>
      {frame.error === null ? null : <Failure error={frame.error} onRetry={frame.reload} />}
      {frame.value === null && frame.error === null ? <Loading lines={6} /> : null}
      {frame.value === null ? null : (
        <div class="stage">
          <iframe
            key={frame.value.url}
            class={`mail-frame ${scheme.value}`}
            style={
              width.value === 'full' ? scaled(frame.value.widthPx) : { width: `${width.value}px` }
            }
            title="The rendered mail"
            src={frame.value.url}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            referrerpolicy="no-referrer"
          />
        </div>
      )}
    </div>
  )
}

/** Where the pane is the screen. */
const PHONE_PX_MAX = 699

/** As wide as the mail, and drawn as small as the pane, as mail programs on phones do it. */
function scaled(widthPx: number) {
  const scale = innerWidth / widthPx
  if (innerWidth > PHONE_PX_MAX || scale >= 1) return { width: '100%' }
  return {
    flex: 'none',
    width: `${widthPx}px`,
    maxWidth: 'none',
    height: `${100 / scale}%`,
    transform: `scale(${scale})`,
    transformOrigin: '0 0',
  }
}
