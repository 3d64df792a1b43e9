import { HTML_CHARS_MAX, HTML_DEPTH_MAX, LINK_TEXT_CHARS_MAX } from '../limits.ts'
import type { Tag } from './attributes.ts'
import { BlockBuilder, foldSpace } from './block-builder.ts'
import type { Gap, HtmlBlock, HtmlCell, HtmlLink, MutableLink } from './blocks.ts'
import type { Declarations } from './css-declarations.ts'
import type { ElementKind } from './elements.ts'
import { narrow } from './source.ts'
import { gapOf, type OpenElement, OpenElements } from './stack.ts'
import { inheritStyle, Styles } from './style.ts'
import type { TextStyle } from './text-style.ts'
import { TagScanner } from './tokens.ts'

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
  const kept = html.length > HTML_CHARS_MAX ? html.slice(0, HTML_CHARS_MAX) : html
  const { source, isUtf8 } = narrow(kept)
  const reader = new HtmlReader(source, isUtf8)
  const { tags } = reader
  let textStart = 0
  let open = source.indexOf('<')
  while (open >= 0) {
    const kind = tags.kindAt(open)
    if (kind === 'text') {
      open = source.indexOf('<', open + 1)
      continue
    }
    if (open > textStart) reader.text(textStart, open)
    if (kind === 'start') reader.start(tags.startTag(open))
    else if (kind === 'end') reader.end(tags.endTag(open))
    else tags.skipOther(open)
    textStart = tags.end
    open = source.indexOf('<', textStart)
  }
  reader.text(textStart, source.length)
  return reader.finish(kept.length < html.length)
}

class HtmlReader {
  readonly tags: TagScanner
  readonly #open = new OpenElements()
  readonly #blocks: BlockBuilder
  readonly #styles = new Styles()
  readonly #links: MutableLink[] = []
  #rows = 0

  constructor(source: string, isUtf8: boolean) {
    this.tags = new TagScanner(source, isUtf8)
    this.#blocks = new BlockBuilder(source, isUtf8)
  }

  text(start: number, end: number): void {
    this.#blocks.addText(start, end, this.#open.top)
  }

  start(tag: Tag): void {
    const { kind } = tag
    if (kind.isRaw) {
      const content = this.tags.rawText(kind.name)
      if (kind.name !== 'style') return
      this.#styles.addSheet(content)
      this.tags.forgetTags()
      return
    }
    this.#endBlock(this.#open.closeBefore(kind))
    if (kind.isVoid) {
      this.#addVoid(tag)
      return
    }
    if (this.#open.depth >= HTML_DEPTH_MAX) return
    const element = this.#elementOf(tag)
    this.#endBlock(gapOf(element))
    this.#open.push(element)
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
      text: foldSpace(text).slice(0, LINK_TEXT_CHARS_MAX).trim(),
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

  #elementOf(tag: Tag): OpenElement {
    const { kind } = tag
    const parent = this.#open.top
    tag.declared ??= this.#styles.declarationsOf(tag)
    const { declared } = tag
    const style = styleOf(tag, declared, parent.style)
    const isBlock = liesOnItsOwn(kind, declared)
    if (kind.name === 'li') this.#markItem(parent)
    return {
      kind,
      style,
      isBlock,
      blockTag: isBlock ? kind.name || 'div' : parent.blockTag,
      cell: isBlock && isCell(kind, declared, parent) ? this.#nextCell(parent) : parent.cell,
      link: kind.name === 'a' && tag.hasHref ? this.#addLink(tag, style.isHidden) : parent.link,
      display: declared.display,
      row: 0,
      children: kind.name === 'ol' ? (Number.parseInt(tag.start, 10) || 1) - 1 : 0,
      sameBelow: -1,
      boundary: -1,
      special: -1,
    }
  }

  #addVoid(tag: Tag): void {
    switch (tag.kind.name) {
      case 'br':
        this.#blocks.addBreak(this.#open.top)
        break
      case 'hr':
        this.#blocks.endBlock(2)
        break
      case 'img':
        if (tag.alt !== '') this.#addImage(tag)
        break
      case 'area':
        if (tag.hasHref) this.#addLink(tag, false).text = tag.alt
    }
  }

  #addImage(tag: Tag): void {
    const image = this.#elementOf(tag)
    this.#endBlock(gapOf(image))
    this.#blocks.addAlt(tag.alt, image)
    this.#endBlock(gapOf(image))
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

/** The same tag inside the same looks looks the same: one object serves the rows of a table. */
function styleOf(tag: Tag, declared: Readonly<Declarations>, parent: TextStyle): TextStyle {
  if (tag.look !== null && tag.lookInside === parent) return tag.look
  tag.lookInside = parent
  tag.look = inheritStyle(parent, declared)
  return tag.look
}

function liesOnItsOwn(kind: ElementKind, declared: Readonly<Declarations>): boolean {
  const { display } = declared
  return display === null || display === 'none' ? kind.isBlock : display !== 'inline'
}

/** Cells of a table, and what a style lays side by side: floats and the children of a flex box. */
function isCell(kind: ElementKind, declared: Readonly<Declarations>, parent: OpenElement): boolean {
  return (
    kind.name === 'td' ||
    kind.name === 'th' ||
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
