import type { Message } from '@mayfly/client'
import { useEffect, useId, useRef } from 'preact/hooks'
import { navigate, route } from '../route.ts'
import { TABS, type Tab } from '../routes.ts'
import { AttachmentsTab } from './attachments-tab.tsx'
import { CodeTab } from './code-tab.tsx'
import { DeliveryTab } from './delivery-tab.tsx'
import { HeadersTab } from './headers-tab.tsx'
import { HtmlCheckTab } from './html-check-tab.tsx'
import { PreviewTab } from './preview-tab.tsx'
import { SourceTab } from './source-tab.tsx'
import { TextTab } from './text-tab.tsx'

const NAMES: Readonly<Record<Tab, string>> = {
  preview: 'Preview',
  text: 'Text',
  code: 'Code and links',
  headers: 'Headers',
  source: 'Source',
  delivery: 'Delivery',
  attachments: 'Attachments',
  check: 'HTML check',
}

/** The tabs of a message with the one that is selected. */
export function MessageTabs(props: { readonly message: Message; readonly tab: Tab | null }) {
  const { message } = props
  const selected = props.tab ?? (message.html === null ? 'text' : 'preview')
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  // On a phone there are more tabs than fit.
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  const select = (tab: Tab) => {
    if (route.value.page === 'message') navigate({ ...route.value, tab }, { replace: true })
  }
  return (
    <>
      <div
        ref={list}
        class="tabs"
        role="tablist"
        aria-label="Views of the message"
        onKeyDown={(event) => moveTab(event, selected, select)}
      >
        {TABS.map((tab) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`${id}-${tab}`}
            aria-selected={tab === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab === selected ? 0 : -1}
            onClick={() => select(tab)}
          >
            {NAMES[tab]}
            {tab === 'attachments' && message.attachments.length > 0 ? (
              <span class="count">{message.attachments.length}</span>
            ) : null}
          </button>
        ))}
      </div>
      <div
        class={`panel panel-${selected}`}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${selected}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
      >
        <Panel message={message} tab={selected} />
      </div>
    </>
  )
}

function Panel({ message, tab }: { readonly message: Message; readonly tab: Tab }) {
  switch (tab) {
    case 'preview':
      return <PreviewTab key={message.id} message={message} />
    case 'text':
      return <TextTab message={message} />
    case 'code':
      return <CodeTab message={message} />
    case 'headers':
      return <HeadersTab message={message} />
    case 'source':
      return <SourceTab message={message} />
    case 'delivery':
      return <DeliveryTab message={message} />
    case 'attachments':
      return <AttachmentsTab message={message} />
    case 'check':
      return <HtmlCheckTab message={message} />
  }
}

/** Arrows go from tab to tab, as in every tab list. */
function moveTab(
  event: { readonly key: string; readonly currentTarget: HTMLElement; preventDefault(): void },
  selected: Tab,
  select: (tab: Tab) => void,
): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (by === undefined) return
  event.preventDefault()
  const index = (TABS.indexOf(selected) + by + TABS.length) % TABS.length
  const next = TABS[index]
  if (next === undefined) return
  select(next)
  const tab = event.currentTarget.children[index]
  if (tab instanceof HTMLElement) tab.focus()
}
