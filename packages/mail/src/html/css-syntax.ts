// The syntax of CSS, as far as all readers of it need it. Nothing is read twice, however the CSS is
// nested or broken.

/** A rule of a style sheet. */
export interface Rule {
  /** Its selectors, or an at-rule up to its block. */
  readonly prelude: string
  /** What is in its braces, which may be rules again. */
  readonly block: string
}

const QUOTE = 34
const APOSTROPHE = 39
const PARENTHESIS = 40
const CLOSING_PARENTHESIS = 41
const COLON = 58
const SEMICOLON = 59
const OPENING_BRACE = 123
const CLOSING_BRACE = 125

/** Visits the declarations of a style attribute, or of the block of a rule, as they are written. */
export function visitDeclarations(
  css: string,
  visit: (property: string, value: string) => void,
): void {
  visitStatements(css, (start, end, colon) => {
    if (colon > start) visit(css.slice(start, colon).trim(), css.slice(colon + 1, end))
  })
}

/**
 * Visits the positions of what semicolons separate, and of its first colon, or -1. Nothing in
 * quotes or parentheses counts: `url(data:…;base64,…)`.
 */
export function visitStatements(
  css: string,
  visit: (start: number, end: number, colon: number) => void,
): void {
  let start = 0
  let colon = -1
  let closing = 0
  for (let at = 0; at < css.length; at += 1) {
    const code = css.charCodeAt(at)
    if (closing !== 0) {
      if (code === closing) closing = 0
    } else if (code === SEMICOLON) {
      visit(start, at, colon)
      start = at + 1
      colon = -1
    } else if (code === COLON && colon < 0) colon = at
    else if (code === PARENTHESIS) closing = CLOSING_PARENTHESIS
    else if (code === QUOTE || code === APOSTROPHE) closing = code
  }
  if (start < css.length) visit(start, css.length, colon)
}

/** At-rules without a block, such as `@import …;`, before a rule. */
const AT_STATEMENTS = /^(?:\s*@[^;]*;)+/

/** The rules of a style sheet without comments, or of a block that consists of rules. */
export function* rules(css: string): Generator<Rule> {
  let at = 0
  for (let open = css.indexOf('{'); open >= 0; open = css.indexOf('{', at)) {
    const end = blockEnd(css, open)
    const prelude = css.slice(at, open).replace(AT_STATEMENTS, '').trim()
    yield { prelude, block: css.slice(open + 1, end) }
    at = end + 1
  }
}

/**
 * Where the brace is that closes the one at `open`. As in browsers, the end of the sheet closes a
 * block that is open.
 */
function blockEnd(css: string, open: number): number {
  let depth = 0
  for (let at = open; at < css.length; at += 1) {
    const code = css.charCodeAt(at)
    if (code === OPENING_BRACE) depth += 1
    else if (code === CLOSING_BRACE) {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return css.length
}

/** A style sheet without comments. */
export function withoutComments(css: string): string {
  if (!css.includes('/*') && !css.includes('<!--')) return css
  return css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ').replace(/<!--|-->/g, ' ')
}
