import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { focusWanted } from '../state/cursor.ts'

/** The height of every row: a list of any length then needs no measuring. */
const ROW_PX = 76

/** Rows beyond the edges: a step of the keyboard or the wheel finds its row there. */
const OVERSCAN_ROWS = 6
/** How early more rows are requested. */
const NEAR_END_ROWS = 40

type Props<Item extends { readonly id: string }> = {
  readonly label: string
  readonly items: readonly Item[]
  readonly row: (item: Item, index: number) => ComponentChildren
  readonly onNearEnd: () => void
  /** Rows that were added above the visible ones since the list was last at the top. */
  readonly onNewAbove: (count: number) => void
  /** Set to 0 to bring the reader to the top. */
  readonly top: { value: number }
}

/** A list that has only the rows in its window in the document. */
export function VirtualList<Item extends { readonly id: string }>(props: Props<Item>) {
  const { items } = props
  const element = useRef<HTMLDivElement>(null)
  // No row before the list is measured: then exactly those that it needs.
  const range = useSignal({ start: 0, end: 0 })
  const firstId = useRef<string | null>(null)
  const newAbove = useRef(0)

  const measure = () => {
    const list = element.current
    if (list === null) return
    const start = Math.max(0, Math.floor(list.scrollTop / ROW_PX) - OVERSCAN_ROWS)
    const end = Math.ceil((list.scrollTop + list.clientHeight) / ROW_PX) + OVERSCAN_ROWS
    if (start !== range.value.start || end !== range.value.end) range.value = { start, end }
    if (list.scrollTop < ROW_PX && newAbove.current > 0) {
      newAbove.current = 0
      props.onNewAbove(0)
    }
    if (end + NEAR_END_ROWS > items.length) props.onNearEnd()
  }

  // Before painting: visible rows keep their place when rows are added above them.
  useLayoutEffect(() => {
    const list = element.current
    const came = items.findIndex(({ id }) => id === firstId.current)
    if (list !== null && came > 0 && list.scrollTop >= ROW_PX) {
      list.scrollTop += came * ROW_PX
      newAbove.current += came
      props.onNewAbove(newAbove.current)
    }
    firstId.current = items[0]?.id ?? null
    measure()
  }, [items])

  useEffect(() => {
    const list = element.current
    if (list === null) return
    const observer = new ResizeObserver(measure)
    observer.observe(list)
    return () => observer.disconnect()
  }, [])

  const topWanted = props.top.value
  useLayoutEffect(() => {
    if (topWanted > 0 && element.current !== null) element.current.scrollTop = 0
  }, [topWanted])

  const wanted = focusWanted.value
  useLayoutEffect(() => {
    const index = items.findIndex(({ id }) => id === wanted)
    if (element.current === null || index < 0) return
    focusWanted.value = null
    bringIntoView(element.current, index)
    measure()
    requestAnimationFrame(() => {
      const row = element.current?.querySelector(`[data-row="${CSS.escape(wanted ?? '')}"]`)
      if (row instanceof HTMLElement) row.focus({ preventScroll: true })
    })
  }, [wanted, items])

  const { start, end } = range.value
  return (
    <div class="virtual" ref={element} onScroll={measure}>
      <ul
        aria-label={props.label}
        style={{ height: `${items.length * ROW_PX}px`, paddingTop: `${start * ROW_PX}px` }}
      >
        {items.slice(start, end).map((item, offset) => (
          <li key={item.id} aria-posinset={start + offset + 1} aria-setsize={items.length}>
            {props.row(item, start + offset)}
          </li>
        ))}
      </ul>
    </div>
  )
}

function bringIntoView(list: HTMLElement, index: number): void {
  const top = index * ROW_PX
  if (top < list.scrollTop) list.scrollTop = top
  else if (top + ROW_PX > list.scrollTop + list.clientHeight) {
    list.scrollTop = top + ROW_PX - list.clientHeight
  }
}
