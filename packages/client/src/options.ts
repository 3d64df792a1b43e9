import type { CallOptions } from './connection.ts'
import { MayflyError } from './errors.ts'

// Checks in plain JavaScript what the compiler checks in TypeScript: a misspelt option that is
// ignored makes a test pass that should fail.

/** The values that an option may have. */
type Kinds = {
  text: string
  pattern: string | RegExp
  /** A number that is not negative. */
  number: number
  flag: boolean
  time: Date | string
  signal: AbortSignal
  list: readonly unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: of any function.
  function: (...args: any[]) => unknown
}

type KindOf<Value> = {
  [Kind in keyof Kinds]: [Value] extends [Kinds[Kind]] ? Kind : never
}[keyof Kinds]

/** The kind of each option. The compiler refuses a list that lacks one, or has another. */
export type OptionKinds<Options> = {
  readonly [Name in keyof Required<Options>]: KindOf<Exclude<Options[Name], undefined>>
}

/** In words, and the names that JavaScript gives such values, in whatever realm they were made. */
const KINDS: Readonly<Record<keyof Kinds, readonly [string, ...string[]]>> = {
  text: ['a string', 'String'],
  pattern: ['a string or a regular expression', 'String', 'RegExp'],
  number: ['a number, 0 or more', 'Number'],
  flag: ['true or false', 'Boolean'],
  time: ['a date or a date-time', 'Date', 'String'],
  signal: ['an AbortSignal', 'AbortSignal'],
  list: ['an array', 'Array'],
  function: ['a function', 'Function', 'AsyncFunction'],
}

const CALL = { signal: 'signal' } as const satisfies OptionKinds<CallOptions>

/** The options of a call without others, checked. */
export function callOptions(options: CallOptions = {}): CallOptions {
  checkOptions(options, CALL)
  return options
}

/** Throws for options with a name that is not known, or with a value of another kind. */
export function checkOptions(
  options: object,
  kinds: Readonly<Record<string, keyof Kinds>>,
  ignored: readonly string[] = [],
): void {
  const names = Object.keys(kinds)
  if (kindOf(options) !== 'Object') {
    throw new MayflyError(
      `Options are an object, such as { ${names[0]}: … }; this is ${shown(options)}.`,
    )
  }
  for (const [name, value] of Object.entries(options)) {
    if (ignored.includes(name)) continue
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) throw new MayflyError(`Unknown option "${name}"${known(name, names)}`)
    if (value === undefined) continue
    const [words, ...accepted] = KINDS[kind]
    const isNumber = kind !== 'number' || (Number.isFinite(value) && value >= 0)
    const isTime = kind !== 'time' || !Number.isNaN(value.valueOf())
    if (accepted.includes(kindOf(value)) && isNumber && isTime) continue
    throw new MayflyError(`The option ${name} must be ${words}, and is ${shown(value)}.`)
  }
}

function known(wrong: string, names: readonly string[]): string {
  const nearest = nearestName(wrong, names)
  if (nearest !== null) return `; did you mean "${nearest}"?`
  return `. ${names.length === 1 ? 'The only one is' : 'There are'} ${names.join(', ')}.`
}

/** The name that a wrong one probably stands for: `subject` for `subjet`, `baseUrl` for `url`. */
function nearestName(wrong: string, names: readonly string[]): string | null {
  const given = wrong.toLowerCase()
  const isPart = (name: string) =>
    given.length > 2 && (name.startsWith(given) || name.endsWith(given) || given.startsWith(name))
  const isNear = (name: string) => differences(given, name) * 3 <= name.length
  const find = (test: (name: string) => boolean) => names.find((name) => test(name.toLowerCase()))
  return find(isNear) ?? find(isPart) ?? null
}

/** How many letters were left out, added, replaced or swapped with the next. */
function differences(a: string, b: string): number {
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const at = (of: readonly number[], index: number) => of[index] ?? Infinity
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? at(before, j - 2) + 1 : Infinity
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped))
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

/** A text is not shown: it may be a key, and errors are logged. */
function shown(value: unknown): string {
  const kind = kindOf(value)
  if (kind === 'Number' || kind === 'Boolean' || kind === 'RegExp') return String(value)
  const names: Record<string, string> = { String: 'a string', Null: 'null', Undefined: 'undefined' }
  return names[kind] ?? `of the type ${kind}`
}
