import type { MessageSummary } from '@mayfly/client'
import type { FoundMessage } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { countText, exactTime, numberText } from '../format.ts'
import { navigate, searchText } from '../route.ts'
import { hrefOf } from '../routes.ts'
import { inboxIdOf, shownRows } from '../state/rows.ts'
import { runSearch, type Search, search, searchOn } from '../state/search.ts'
import { Button, IconLink } from './controls.tsx'
import { Icon } from './icon.tsx'
import { MessageList } from './message-list.tsx'
import { Empty, Failure, Loading } from './notices.tsx'
import { SearchHelp } from './search-help.tsx'

/** Longest query that the service accepts. */
export const QUERY_LENGTH_MAX = 500

/** How far the service's index may be behind before the page says so. */
const LAG_MS_MAX = 10_000

/** A search over all inboxes. */
export function SearchPane() {
  const found = search.value
  return (
    <section class="messages-pane" aria-label="Search">
      <header class="pane-header">
        <IconLink icon="back" label="Back" href={hrefOf({ page: 'inboxes' })} class="narrow" />
        <div class="pane-title">
          <h2 class="search-title">Search all inboxes</h2>
        </div>
      </header>
      <SearchField />
      {found === null ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <section class="search-help-pane" aria-label="How to search" tabIndex={0}>
          <SearchHelp />
        </section>
      ) : (
        <>
          <Status found={found} />
          <Results found={found} />
        </>
      )}
    </section>
  )
}

function SearchField() {
  const q = searchText.value ?? ''
  const typed = useSignal(q)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    typed.value = q
  }, [q])
  // With a query in the address, the field does not take the focus.
  useEffect(() => {
    if (q === '') field.current?.focus()
  }, [])
  return (
    <search>
      <form
        class="filter"
        onSubmit={(event) => {
          event.preventDefault()
          const wanted = typed.value.trim()
          // The same query again: perhaps there is newer mail.
          if (wanted === q) void runSearch(q)
          else navigate({ page: 'search', q: wanted })
        }}
      >
        <Icon name="search" size={14} />
        <input
          ref={field}
          id="search"
          type="search"
          placeholder="from:acme subject:“your code”"
          aria-label="Search all inboxes"
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="search"
          maxLength={QUERY_LENGTH_MAX}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
        />
        <span class="key" aria-hidden="true">
          ↵
        </span>
      </form>
    </search>
  )
}

/** The number of results, their time, and possible gaps. */
function Status({ found }: { readonly found: Search }) {
  if (found.state !== 'ready') return null
  const { at, indexedUntil, arrived } = found
  const count = shownRows.value.length
  const isBehind = indexedUntil !== null && at - Date.parse(indexedUntil) > LAG_MS_MAX
  return (
    <div class="search-status" role="status">
      <p>
        {found.nextCursor === null ? countText(count, 'message') : `${numberText(count)}+ messages`}
        {' as of '}
        <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
      </p>
      {arrived === 0 ? null : (
        <Button isSmall icon="refresh" onClick={() => runSearch(found.q)}>
          {countText(arrived, 'new mail')}
        </Button>
      )}
      {isBehind ? (
        <p class="search-lag">
          The index is complete up to {exactTime(indexedUntil)}. Of later mail, the newest 5,000 are
          searched.
        </p>
      ) : null}
    </div>
  )
}

function Results({ found }: { readonly found: Search }) {
  if (found.state === 'loading') return <Loading lines={6} />
  if (found.error !== null) return <Failure error={found.error} />
  const isPaused = found.nextCursor !== null && found.messages.length === 0
  if (shownRows.value.length === 0) {
    return (
      <Empty icon="search" title={isPaused ? 'Nothing found yet' : 'Nothing matches'}>
        <p>
          {isPaused ? 'The newest mail does not match' : 'No message matches'} “{found.q}”.
        </p>
        {isPaused ? <Button onClick={searchOn}>Search older mail</Button> : null}
      </Empty>
    )
  }
  return (
    <MessageList
      key={found.at}
      label="Found messages, newest first"
      href={(message) => foundHref(message, found.q)}
      hasInboxNames
      onNearEnd={() => void searchOn()}
    />
  )
}

/** The newest mail of all inboxes. */
export function NewestPane() {
  const found = search.value
  return (
    <section class="messages-pane" aria-label="Newest mail">
      <header class="pane-header">
        <IconLink icon="back" label="Back" href={hrefOf({ page: 'inboxes' })} class="narrow" />
        <div class="pane-title">
          <h2 class="search-title">All mail</h2>
        </div>
      </header>
      {found === null || found.state === 'loading' ? (
        <Loading lines={6} />
      ) : found.error !== null ? (
        <Failure error={found.error} onRetry={() => void runSearch('')} />
      ) : shownRows.value.length === 0 ? (
        <Empty icon="mail" title="Waiting for the first mail">
          It appears here the moment it arrives, in whichever inbox.
        </Empty>
      ) : (
        <MessageList
          label="Newest mail of all inboxes"
          href={(message) => foundHref(message, '')}
          hasInboxNames
          onNearEnd={() => void searchOn()}
        />
      )}
    </section>
  )
}

function foundHref(message: MessageSummary | FoundMessage, q: string): string {
  const inboxId = inboxIdOf(message)
  return hrefOf({ page: 'message', inboxId, messageId: message.id, tab: null, q, isFound: true })
}
