import { LINK_TEXT_CHARS_MAX, TEXT_CHARS_MAX } from '../limits.ts'
import type { Gap, HtmlBlock, HtmlRun, MutableLink, TextPlace } from './blocks.ts'
import { decodeEntities } from './entities.ts'
import { isSpace } from './names.ts'
import { widen } from './source.ts'

interface MutableRun extends HtmlRun {
  text: string
}

/** What a piece of text may need, as bits; most pieces need nothing. */
const HAS_ENTITY = 1
const HAS_WIDE = 2
const HAS_SPACES = 4
const UNFOLDED = /[\t\n\f\r]| {2}/
const SPACES = /[ \t\n\f\r]+/g

/** Gathers text into runs and runs into blocks, with the white space rules of browsers. */
export class BlockBuilder {
  readonly blocks: HtmlBlock[] = []
  readonly #html: string
  readonly #isUtf8: boolean
  #runs: MutableRun[] = []
  #lastRun: MutableRun | null = null
  #start: TextPlace | null = null
  /** Whether there is anything but spaces, those that do not break included. */
  #hasInk = false
  #marker: string | null = null
  #gap: Gap = 0
  #charsLeft = TEXT_CHARS_MAX
  // Hidden text is between the lines: spaces fold among visible text and among hidden text apart.
  readonly #visible: Flow = { isStarted: false, isSpaceDue: false }
  readonly #hidden: Flow = { isStarted: false, isSpaceDue: false }

  constructor(html: string, isUtf8: boolean) {
    this.#html = html
    this.#isUtf8 = isUtf8
  }

  /** True once there was more text than is kept. */
  get isFull(): boolean {
    return this.#charsLeft <= 0
  }

  /** Adds the text that lies in the HTML between `from` and `to`. */
  addText(from: number, to: number, place: TextPlace): void {
    if (this.#charsLeft <= 0) return
    if (place.style.keepsSpace) {
      this.#addPreformatted(this.#html.slice(from, to), place)
      return
    }
    // White space is looked at in place: most of what lies between tags is nothing else.
    const html = this.#html
    let start = from
    while (start < to && isSpace(html.charCodeAt(start))) start += 1
    const flow = place.style.isHidden ? this.#hidden : this.#visible
    if (start > from) flow.isSpaceDue = true
    if (start === to) return
    let end = to
    while (isSpace(html.charCodeAt(end - 1))) end -= 1
    const needs = needsOf(html, start, end)
    const written = html.slice(start, end)
    const text = needs === 0 ? written : this.#decode(written, needs)
    this.#hasInk ||= needs === 0 || text.trim() !== ''
    this.#append(flow.isSpaceDue && flow.isStarted ? ` ${text}` : text, 'text', place)
    flow.isStarted = true
    flow.isSpaceDue = end < to
  }

  #addPreformatted(written: string, place: TextPlace): void {
    const text = decodeEntities(this.#isUtf8 ? widen(written) : written).replace(/\r\n?/g, '\n')
    if (text === '') return
    this.#hasInk ||= text.trim() !== ''
    this.#append(text, 'text', place)
    const flow = place.style.isHidden ? this.#hidden : this.#visible
    flow.isStarted = true
    flow.isSpaceDue = false
  }

  #decode(text: string, needs: number): string {
    const wide = this.#isUtf8 && (needs & HAS_WIDE) !== 0 ? widen(text) : text
    if ((needs & HAS_ENTITY) !== 0) return foldSpace(decodeEntities(wide))
    return (needs & HAS_SPACES) !== 0 ? wide.replace(SPACES, ' ') : wide
  }

  /** Adds an image's alternative text. */
  addAlt(text: string, place: TextPlace): void {
    const folded = foldSpace(text).trim()
    if (folded === '' || this.#charsLeft <= 0) return
    const flow = place.style.isHidden ? this.#hidden : this.#visible
    this.#hasInk = true
    this.#append(flow.isSpaceDue && flow.isStarted ? ` ${folded}` : folded, 'alt', place)
    flow.isStarted = true
    flow.isSpaceDue = false
  }

  /** Adds what `<br>` makes: a line's end, or an empty line where there is nothing before it. */
  addBreak(place: TextPlace): void {
    if (this.#runs.length === 0) {
      this.#gap = 2
      return
    }
    if (this.#charsLeft > 0) this.#append('\n', 'text', place)
    startLine(this.#visible)
    startLine(this.#hidden)
  }

  /** Ends the block; `gap` is what lies between it and the next. */
  endBlock(gap: Gap): void {
    if (this.#runs.length === 0) {
      if (gap > this.#gap) this.#gap = gap
    } else {
      this.#finishBlock(gap)
      this.#runs = []
      this.#lastRun = null
      this.#start = null
      this.#hasInk = false
    }
    startLine(this.#visible)
    startLine(this.#hidden)
  }

  #finishBlock(gap: Gap): void {
    if (!this.#visible.isStarted && !this.#hidden.isStarted) trimEnd(this.#runs)
    if (this.#start === null || !this.#hasInk) {
      this.#gap = 2
      return
    }
    this.blocks.push({
      runs: this.#runs,
      tag: this.#start.blockTag,
      cell: this.#start.cell,
      isCentred: this.#start.style.isCentred,
      marker: this.#marker,
      hasGapBefore: this.#gap === 2,
    })
    this.#gap = gap
    this.#marker = null
  }

  /** The next block begins a list item with this mark; null when the item ended without any. */
  mark(marker: string | null): void {
    this.#marker = marker
  }

  #append(text: string, source: HtmlRun['source'], place: TextPlace): void {
    const kept = text.length > this.#charsLeft ? text.slice(0, this.#charsLeft) : text
    this.#charsLeft -= kept.length
    this.#start ??= place
    if (place.link !== null) this.#addToLink(kept, place, place.link)
    const { style } = place
    const href = place.link === null ? null : place.link.url
    const last = this.#lastRun
    if (last !== null && last.style === style && last.href === href && last.source === source) {
      last.text += kept
      return
    }
    this.#lastRun = { text: kept, source, href, style }
    this.#runs.push(this.#lastRun)
  }

  /** Hidden text is no part of what a link shows, unless the whole link is hidden. */
  #addToLink(text: string, place: TextPlace, link: MutableLink): void {
    if (place.style.isHidden && !link.isHidden) return
    if (link.text.length >= LINK_TEXT_CHARS_MAX) return
    link.text += this.#runs.length === 0 ? ` ${text}` : text
  }
}

/** How far a line of text has come. */
interface Flow {
  /** There is text on the line: a space would show. */
  isStarted: boolean
  /** White space was met that shows once more text follows on the line. */
  isSpaceDue: boolean
}

function startLine(flow: Flow): void {
  flow.isStarted = false
  flow.isSpaceDue = false
}

/** What decoding and folding the piece of text need to do, told in one look. */
function needsOf(html: string, start: number, end: number): number {
  let needs = 0
  let wasSpace = false
  for (let at = start; at < end; at += 1) {
    const code = html.charCodeAt(at)
    if (code > 127) needs |= HAS_WIDE
    else if (code === 38) needs |= HAS_ENTITY
    else if (code <= 32 && (code !== 32 || wasSpace)) needs |= HAS_SPACES
    wasSpace = code === 32
  }
  return needs
}

/** Each stretch of white space as the one space that a browser shows. */
export function foldSpace(text: string): string {
  return UNFOLDED.test(text) ? text.replace(SPACES, ' ') : text
}

/** Line breaks at the end of a block show nothing. */
function trimEnd(runs: MutableRun[]): void {
  for (let last = runs.at(-1); last !== undefined; last = runs.at(-1)) {
    const { text } = last
    let end = text.length
    while (end > 0 && isBreakable(text.charCodeAt(end - 1))) end -= 1
    if (end < text.length) last.text = text.slice(0, end)
    if (end > 0) return
    runs.pop()
  }
}

function isBreakable(code: number): boolean {
  return code === 32 || code === 10
}
