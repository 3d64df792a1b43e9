import {
  isJsxText,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateLiteralToken,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'

/** A comment with the lines, from 1, on which it begins and ends. */
export type Comment = {
  readonly text: string
  readonly firstLine: number
  readonly lastLine: number
}

/** A parsed source file, its nodes flattened in the order of the text. */
export class ParsedFile {
  readonly path: string
  readonly source: SourceFile
  readonly nodes: readonly Node[]
  readonly comments: readonly Comment[]

  constructor(path: string, source: SourceFile) {
    this.path = path
    this.source = source
    this.nodes = flatten(source)
    this.comments = this.#findComments()
  }

  /** Every node of one kind. */
  all<T extends Node>(isKind: (node: Node) => node is T): readonly T[] {
    return this.nodes.filter(isKind)
  }

  /** The line, from 1, on which a node begins; comments before it do not count. */
  lineOf(node: Node): number {
    return this.#lineAt(node.getStart(this.source))
  }

  /** The line, from 1, on which a node ends. */
  lastLineOf(node: Node): number {
    return this.#lineAt(node.end)
  }

  #lineAt(position: number): number {
    return this.source.getLineAndCharacterOfPosition(position).line + 1
  }

  /** Only literals can hold what looks like a comment, and the parser has told where they are. */
  #findComments(): readonly Comment[] {
    const comments: Comment[] = []
    let from = 0
    const search = (to: number) => {
      for (const found of this.source.text.slice(from, to).matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)) {
        const start = from + found.index
        const firstLine = this.#lineAt(start)
        const lastLine = this.#lineAt(start + found[0].length)
        comments.push({ text: found[0], firstLine, lastLine })
      }
    }
    for (const node of this.nodes.filter(isOpaque)) {
      search(node.getStart(this.source))
      from = node.end
    }
    search(this.source.text.length)
    return comments
  }
}

function isOpaque(node: Node): boolean {
  return (
    isStringLiteral(node) ||
    isTemplateLiteralToken(node) ||
    isRegularExpressionLiteral(node) ||
    isJsxText(node)
  )
}

function flatten(source: SourceFile): readonly Node[] {
  const nodes: Node[] = []
  const visit = (node: Node): void => {
    nodes.push(node)
    node.forEachChild(visit)
  }
  visit(source)
  return nodes
}
