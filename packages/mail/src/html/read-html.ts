import { HTML_CHARS_MAX, HTML_DEPTH_MAX, HTML_TAGS_MAX, LINK_TEXT_CHARS_MAX } from '../limits.ts'
import {
  BlockBuilder,
  collapseSpace,
  type Gap,
  type HtmlBlock,
  type HtmlCell,
  type OpenLink,
} from './blocks.ts'
import type { Declarations } from './css-declarations.ts'
import type { ElementKind } from './elements.ts'
import { HtmlSource } from './html-source.ts'
import { gapOf, type OpenElement, OpenElements } from './open-elements.ts'
import { Styles } from './styles.ts'
import { type Tag, trimUrl } from './tag.ts'
import { TagScanner } from './tag-scanner.ts'
import { inheritStyle, type TextStyle } from './text-style.ts'

/** The text and links of HTML, read once for the readable text, the links and the codes. */
export interface HtmlReading {
  readonly blocks: readonly HtmlBlock[]
  /** Every `href` in order of appearance, with repetitions, of any scheme. */
  readonly links: readonly HtmlLink[]
  /** There is more HTML or text than was read. */
  readonly isTruncated: boolean
}

/** A link with its visible text: the alternative text of an image. */
interface HtmlLink {
  readonly url: string
  readonly text: string
  /** Number of blocks that end before it. */
  readonly block: number
}

/** Links kept, repetitions included: four times as many as are listed of a mail. */
const ANCHORS_MAX = 2_000

/**
 * Reads HTML in one pass, as a browser would lay it out, without building a tree.
 *
 * Any string is accepted. The time is linear in the length, and no more than `HTML_CHARS_MAX`
 * characters and `HTML_TAGS_MAX` tags are read.
 */
export function readHtml(html: string): HtmlReading {
  const kept = html.length > HTML_CHARS_MAX ? html.slice(0, HTML_CHARS_MAX) : html
  const source = new HtmlSource(kept)
  const { chars } = source
  const reader = new HtmlReader(source)
  const { tags } = reader
  let textStart = 0
  let open = chars.indexOf('<')
  let tagCount = 0
  while (open >= 0 && tagCount < HTML_TAGS_MAX) {
    const kind = tags.kindAt(open)
    if (kind === 'text') {
      open = chars.indexOf('<', open + 1)
      continue
    }
    if (open > textStart) reader.text(textStart, open)
    if (kind === 'start') reader.start(tags.startTag(open))
    else if (kind === 'end') reader.end(tags.endTag(open))
    else tags.skipOther(open)
    tagCount += 1
    textStart = tags.end
    open = chars.indexOf('<', textStart)
  }
  reader.text(textStart, open < 0 ? chars.length : open)
  return reader.finish(open >= 0 || kept.length < html.length)
}

class HtmlReader {
  readonly tags: TagScanner
  readonly #open = new OpenElements()
  readonly #blocks: BlockBuilder
  readonly #styles = new Styles()
  readonly #links: OpenLink[] = []
  #rows = 0

  constructor(source: HtmlSource) {
    this.tags = new TagScanner(source)
    this.#blocks = new BlockBuilder(source)
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
      this.tags.clearCache()
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
    // Browsers keep both open to the end of the document.
    if (name === 'body' || name === 'html') return
    this.#endBlock(this.#open.close(kind))
    if (name === 'li') this.#blocks.setMarker(null)
  }

  finish(isTruncated: boolean): HtmlReading {
    this.#endBlock(1)
    const links = this.#links.map(({ url, text, block }) => ({
      url,
      block,
      text: collapseSpace(text).slice(0, LINK_TEXT_CHARS_MAX).trim(),
    }))
    return {
      blocks: this.#blocks.blocks,
      links,
      isTruncated: isTruncated || this.#blocks.isFull,
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
    const isBlock = isLaidOutAsBlock(kind, declared)
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
        if (tag.alt !== '') this.#addReplaced(tag, tag.alt)
        break
      case 'input':
        if (tag.value !== '' && isTextField(tag)) this.#addReplaced(tag, tag.value)
        break
      case 'area':
        if (tag.hasHref) this.#addLink(tag, false).text = tag.alt
    }
  }

  /** An image or a field, as the text that a reader sees in its place. */
  #addReplaced(tag: Tag, text: string): void {
    const element = this.#elementOf(tag)
    this.#endBlock(gapOf(element))
    this.#blocks.addAlt(text, element)
    this.#endBlock(gapOf(element))
  }

  #markItem(list: OpenElement): void {
    list.children += 1
    this.#blocks.setMarker(list.kind.name === 'ol' ? `${list.children}.` : '-')
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

  #addLink(tag: Tag, isHidden: boolean): OpenLink {
    const block = this.#blocks.blocks.length
    const link = { url: trimUrl(tag.href), block, text: '', isHidden }
    if (this.#links.length < ANCHORS_MAX) this.#links.push(link)
    return link
  }
}

/** Cached: the same tag in the same parent style has the same style, as in the rows of a table. */
function styleOf(tag: Tag, declared: Readonly<Declarations>, parent: TextStyle): TextStyle {
  if (tag.textStyle !== null && tag.parentStyle === parent) return tag.textStyle
  tag.parentStyle = parent
  tag.textStyle = inheritStyle(parent, declared)
  return tag.textStyle
}

function isLaidOutAsBlock(kind: ElementKind, declared: Readonly<Declarations>): boolean {
  const { display } = declared
  return display === null || display === 'none' ? kind.isBlock : display !== 'inline'
}

/** Cells of a table, and what a style lays out side by side: floats, the items of a flex box. */
function isCell(kind: ElementKind, declared: Readonly<Declarations>, parent: OpenElement): boolean {
  return (
    kind.name === 'td' ||
    kind.name === 'th' ||
    declared.display === 'cell' ||
    declared.isFloating === true ||
    parent.display === 'flex'
  )
}

/** A field whose value is visible as text. */
function isTextField({ type }: Tag): boolean {
  return ['', 'text', 'tel', 'number'].includes(type.toLowerCase())
}
