import type { Declarations } from './css-declarations.ts'
import {
  BlockBuilder,
  foldSpace,
  type Gap,
  type HtmlBlock,
  type HtmlCell,
  type HtmlLink,
  type MutableLink,
} from './html-blocks.ts'
import type { ElementKind } from './html-elements.ts'
import { decodeEntities } from './html-entities.ts'
import { gapOf, type OpenElement, OpenElements } from './html-stack.ts'
import { inheritStyle, Styles } from './html-style.ts'
import { blankTag, rawTextEnd, scanTag, type Tag } from './html-tokens.ts'
import { HTML_CHARS_MAX, HTML_DEPTH_MAX, LINK_TEXT_CHARS_MAX } from './limits.ts'

/** What a mail's HTML says, read once: for the readable text, the links and the codes. */
export interface HtmlReading {
  readonly blocks: readonly HtmlBlock[]
  /** Every `href` in order of appearance, as often as it stands there, of any scheme. */
  readonly links: readonly HtmlLink[]
  /** There was more HTML or text than is read. */
  readonly isTruncated: boolean
}

/** Links gathered before doubles are sorted out; enough for every link of a mail to come thrice. */
const ANCHORS_MAX = 2_000

/**
 * Reads HTML in one pass, as a browser would lay it out, without building a tree.
 *
 * Any string gives a reading. Time grows with the length alone, and no more than
 * `HTML_CHARS_MAX` characters are looked at.
 */
export function readHtml(html: string): HtmlReading {
  const source = html.length > HTML_CHARS_MAX ? html.slice(0, HTML_CHARS_MAX) : html
  const reader = new HtmlReader()
  const tag = blankTag()
  let textStart = 0
  let open = source.indexOf('<')
  while (open >= 0) {
    const next = scanTag(source, open, tag)
    if (next < 0) {
      open = source.indexOf('<', open + 1)
      continue
    }
    if (open > textStart) reader.text(source.slice(textStart, open))
    textStart = next
    if (tag.isElement) {
      if (tag.isEnd) reader.end(tag.kind)
      else textStart = reader.start(tag, source, next)
    }
    open = source.indexOf('<', textStart)
  }
  reader.text(source.slice(textStart))
  return reader.finish(source.length < html.length)
}

class HtmlReader {
  readonly #open = new OpenElements()
  readonly #blocks = new BlockBuilder()
  readonly #styles = new Styles()
  readonly #links: MutableLink[] = []
  #rows = 0

  text(source: string): void {
    if (this.#blocks.isFull) return
    this.#blocks.addText(decodeEntities(source), this.#open.top)
  }

  /** Takes in a start tag; answers where reading goes on, which is behind a raw element's text. */
  start(tag: Tag, source: string, at: number): number {
    const { kind } = tag
    if (kind.isRaw) {
      const end = rawTextEnd(source, at, kind.name)
      if (tag.kind.name === 'style') this.#styles.addSheet(source.slice(at, end))
      return end
    }
    this.#endBlock(this.#open.closeBefore(kind))
    if (this.#open.depth >= HTML_DEPTH_MAX && !kind.isVoid) return at
    const element = this.#elementOf(tag, kind)
    this.#endBlock(gapOf(element))
    if (kind.isVoid) this.#addVoid(tag, element)
    else this.#open.push(element)
    return at
  }

  end(kind: ElementKind): void {
    const { name } = kind
    if (name === 'br') this.#blocks.addBreak(this.#open.top)
    // Browsers keep both open to the end of the document, whatever follows.
    if (name === 'body' || name === 'html') return
    this.#endBlock(this.#open.close(kind))
    if (name === 'li') this.#blocks.mark(null)
  }

  finish(isCut: boolean): HtmlReading {
    this.#endBlock(1)
    const links = this.#links.map(({ url, text, block }) => ({
      url,
      block,
      text: foldSpace(text, true).slice(0, LINK_TEXT_CHARS_MAX).trim(),
    }))
    return {
      blocks: this.#blocks.blocks,
      links,
      isTruncated: isCut || this.#blocks.isFull,
    }
  }

  #endBlock(gap: Gap): void {
    if (gap !== 0) this.#blocks.endBlock(gap)
  }

  #elementOf(tag: Tag, kind: ElementKind): OpenElement {
    const parent = this.#open.top
    const declared = this.#styles.declarationsOf(tag)
    const style = inheritStyle(parent.style, declared)
    const isBlock = liesOnItsOwn(kind, declared)
    if (tag.kind.name === 'li') this.#markItem(parent)
    return {
      kind,
      style,
      isBlock,
      blockTag: isBlock ? kind.name || 'div' : parent.blockTag,
      cell: isCell(tag.kind.name, isBlock, declared, parent) ? this.#nextCell(parent) : parent.cell,
      link: tag.kind.name === 'a' && tag.hasHref ? this.#addLink(tag, style.isHidden) : parent.link,
      display: declared.display,
      row: 0,
      children: tag.kind.name === 'ol' ? (Number.parseInt(tag.start, 10) || 1) - 1 : 0,
    }
  }

  #addVoid(tag: Tag, element: OpenElement): void {
    if (tag.kind.name === 'br') this.#blocks.addBreak(element)
    else if (tag.kind.name === 'img' && tag.alt !== '') this.#blocks.addAlt(tag.alt, element)
    else if (tag.kind.name === 'area' && tag.hasHref) {
      this.#addLink(tag, false).text = tag.alt
    }
  }

  #markItem(list: OpenElement): void {
    list.children += 1
    this.#blocks.mark(list.kind.name === 'ol' ? `${list.children}.` : '-')
  }

  #nextCell(row: OpenElement): HtmlCell {
    if (row.row === 0) {
      this.#rows += 1
      row.row = this.#rows
    }
    const column = row.children
    row.children += 1
    return { row: row.row, column, parent: row.cell }
  }

  #addLink(tag: Tag, isHidden: boolean): MutableLink {
    const block = this.#blocks.blocks.length
    const link = { url: trimUrl(tag.href), block, text: '', isHidden }
    if (this.#links.length < ANCHORS_MAX) this.#links.push(link)
    return link
  }
}

function liesOnItsOwn(kind: ElementKind, declared: Readonly<Declarations>): boolean {
  if (declared.display === null) return kind.isBlock
  if (declared.display === 'none') return kind.isBlock
  return declared.display !== 'inline'
}

/** Cells of a table, and what a style lays side by side: floats and the children of a flex box. */
function isCell(
  name: string,
  isBlock: boolean,
  declared: Readonly<Declarations>,
  parent: OpenElement,
): boolean {
  if (!isBlock) return false
  return (
    name === 'td' ||
    name === 'th' ||
    declared.display === 'cell' ||
    declared.isFloating === true ||
    parent.display === 'flex'
  )
}

/** Browsers drop line breaks and tabs anywhere in an address, and white space around it. */
function trimUrl(href: string): string {
  const trimmed = href.trim()
  return /[\t\n\r]/.test(trimmed) ? trimmed.replace(/[\t\n\r]+/g, '') : trimmed
}
