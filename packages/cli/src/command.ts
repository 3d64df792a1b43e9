import { parseArgs } from 'node:util'
import { UsageError } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** One command of the command line. */
export type Command = {
  readonly name: string
  readonly summary: string
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<void>
  /** Offered by shell completion. */
  readonly options?: OptionTable
  readonly subcommands?: readonly Command[]
  /** Another name that is accepted. */
  readonly alias?: string
}

/** One option of a command. */
type OptionSpec = {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: true
  /** Placeholder of the value in the help. */
  readonly value?: string
  readonly about: string
}

/** The options of a command by their names. */
export type OptionTable = Readonly<Record<string, OptionSpec>>

/** The options as they were given. */
type Values<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name]['type'] extends 'boolean'
    ? boolean
    : Table[Name]['multiple'] extends true
      ? readonly string[]
      : string | undefined
}

/** The context of a running command. */
type Invocation<Table extends OptionTable> = {
  readonly options: Values<Table>
  readonly args: readonly string[]
  readonly terminal: Terminal
}

/** A command as its help describes it. */
type Description = {
  /** As typed: `inbox new`. */
  readonly name: string
  readonly summary: string
  /** Arguments in the help; those in brackets are optional, `…` may repeat. */
  readonly args?: readonly string[]
  readonly about?: string
  readonly example: string
  /** Whether an argument such as `-is:read` is text, and not an unknown option. */
  readonly takesDashedText?: true
}

/** A command with its options and what it does. */
export type Definition<Table extends OptionTable> = Description & {
  readonly options: Table
  readonly run: (invocation: Invocation<Table>) => Promise<void>
}

const HELP_OPTION = { type: 'boolean', short: 'h', about: 'show this help' } as const

/** Defines a command: its options are parsed, `--help` is added, unknown options are refused. */
export function defineCommand<const Table extends OptionTable>(
  definition: Definition<Table>,
): Command {
  const table: OptionTable = { ...definition.options, help: HELP_OPTION }
  return {
    name: definition.name.split(' ').at(-1) ?? definition.name,
    summary: definition.summary,
    options: table,
    run: async (args, terminal) => {
      const given = definition.takesDashedText ? withTextLast(args, table) : args
      const { values, positionals } = parse(given, table, definition.name)
      if (values['help'] === true) {
        terminal.out(terminal.withCommands(helpText(definition, table)))
        return
      }
      checkArguments(definition, positionals)
      // Filled from the same table that the type is made of.
      const options = Object.fromEntries(
        Object.entries(table).map(([name, spec]) => [name, values[name] ?? unset(spec)]),
      ) as Values<Table>
      await definition.run({ options, args: positionals, terminal })
    },
  }
}

/** Defines a command that only has subcommands: `inbox` has `inbox new`, `inbox list`. */
export function defineGroup(
  name: string,
  summary: string,
  subcommands: readonly Command[],
): Command {
  const help = `mayfly ${name}: ${summary}\n\nUsage: mayfly ${name} COMMAND [options]\n\nCommands:\n${commandList(subcommands)}\n\n\`mayfly ${name} COMMAND --help\` shows the options of a command.\n`
  return {
    name: name.split(' ').at(-1) ?? name,
    summary,
    subcommands,
    run: async ([first, ...rest], terminal) => {
      const command = subcommands.find(
        ({ name, alias = name }) => first === name || first === alias,
      )
      if (command !== undefined) return command.run(rest, terminal)
      if (first === '--help' || first === '-h' || first === 'help') {
        return terminal.out(terminal.withCommands(help))
      }
      const names = subcommands.map((known) => known.name)
      const known = names.join(', ')
      if (first === undefined) throw new UsageError(`\`mayfly ${name}\` needs one of: ${known}.`)
      const misplaced = optionsFirst([first, ...rest], subcommands, name)
      if (misplaced !== null) throw new UsageError(misplaced)
      const nearest = nearestOf(first, names)
      const hint =
        nearest === null
          ? `Known commands: ${known}.`
          : `Did you mean \`mayfly ${name} ${nearest}\`?`
      throw new UsageError(`unknown command "${name} ${first}". ${hint}`)
    },
  }
}

/** Adds subcommands to a command: `messages` lists messages, `messages rm` deletes them. */
export function withSubcommands(command: Command, subcommands: readonly Command[]): Command {
  const help = `\nCommands:\n${commandList(subcommands)}\n`
  return {
    ...command,
    subcommands,
    run: async ([first, ...rest], terminal) => {
      const named = subcommands.find(({ name }) => name === first)
      if (named !== undefined) return named.run(rest, terminal)
      await command.run(first === undefined ? [] : [first, ...rest], terminal)
      if (first === '--help' || first === '-h') terminal.out(terminal.withCommands(help))
    },
  }
}

/** The name that was probably meant: with some letters swapped, left out, too many or wrong. */
export function nearestOf(given: string, names: readonly string[]): string | null {
  const sorted = (text: string) => [...text].toSorted().join('')
  const isPartOf = (part: string, whole: string) => {
    let matched = 0
    for (const letter of whole) if (letter === part[matched]) matched += 1
    return matched === part.length
  }
  const near = names.filter((name) => Math.abs(name.length - given.length) <= 2)
  return (
    near.find((name) => sorted(name) === sorted(given)) ??
    near.find((name) => isPartOf(given, name) || isPartOf(name, given)) ??
    near.find((name) => name.startsWith(given.slice(0, 2))) ??
    null
  )
}

/**
 * The error for `--json inbox new`, or null where an option is not the first argument. `group` is
 * the word before. Values are left out: one may be a key.
 */
export function optionsFirst(
  args: readonly string[],
  commands: readonly Command[],
  group?: string,
): string | null {
  const [option = ''] = args[0]?.split('=') ?? []
  if (!option.startsWith('-')) return null
  const path = pathIn(args, commands)
  if (path.length === 0 && !hasOption(commands, option)) return null
  const names = [
    ...(group === undefined ? [] : [group]),
    ...(path.length === 0 ? ['COMMAND'] : path),
  ]
  return `options follow the command: \`mayfly ${names.join(' ')} ${option}\`.`
}

/** Names and summaries, one a line. */
export function commandList(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')
}

/** The first command among the arguments, with its subcommand. */
function pathIn(args: readonly string[], commands: readonly Command[]): readonly string[] {
  const found = args.map((arg) =>
    commands.find(({ name, alias = name }) => arg === name || arg === alias),
  )
  const index = found.findIndex((command) => command !== undefined)
  const command = found[index]
  if (command === undefined) return []
  return [command.name, ...pathIn(args.slice(index + 1, index + 2), command.subcommands ?? [])]
}

function hasOption(commands: readonly Command[], option: string): boolean {
  return commands.some(
    ({ options = {}, subcommands = [] }) =>
      Object.entries(options).some(([name, { short }]) =>
        [`--${name}`, `-${short}`].includes(option),
      ) || hasOption(subcommands, option),
  )
}

function parse(args: readonly string[], table: OptionTable, name: string) {
  try {
    return parseArgs({ args: [...args], options: table, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(`${parseError(error, table)} See \`mayfly ${name} --help\`.`)
  }
}

/**
 * The same arguments with all text after `--`, where it may begin with a dash. With one dash only
 * `-n`, `-n5` and the like are options; with two dashes everything is.
 */
function withTextLast(args: readonly string[], table: OptionTable): string[] {
  const options: string[] = []
  const texts: string[] = []
  const end = args.indexOf('--') === -1 ? args.length : args.indexOf('--')
  for (let i = 0; i < end; i += 1) {
    const arg = args[i] ?? ''
    const spec = arg.startsWith('--')
      ? table[arg.slice(2)]
      : Object.values(table).find(({ short }) => arg === `-${short}`)
    const isShortWithNumber = Object.values(table).some(
      ({ short, type }) => type === 'string' && arg.startsWith(`-${short}`) && /^-.\d+$/.test(arg),
    )
    if (spec === undefined && !arg.startsWith('--') && !isShortWithNumber) texts.push(arg)
    else options.push(arg)
    // The value of the option.
    if (spec?.type === 'string' && i + 1 < end) options.push(args[++i] ?? '')
  }
  return [...options, '--', ...texts, ...args.slice(end + 1)]
}

function parseError(error: unknown, table: OptionTable): string {
  const message = error instanceof Error ? error.message : String(error)
  const [, ambiguous] = /^Option '(-[^']*)' argument is ambiguous/.exec(message) ?? []
  if (ambiguous !== undefined) {
    return `${ambiguous} needs a value; one that begins with a dash is written as in --option=-1.`
  }
  const [, option] = /^Unknown option '--?([^']*)'/.exec(message) ?? []
  if (option === undefined) return `${message.split('. ')[0]}.`
  const nearest = option.length > 1 ? nearestOf(option, Object.keys(table)) : null
  const dashes = option.length > 1 ? '--' : '-'
  const hint = nearest === null ? '' : ` Did you mean --${nearest}?`
  return `unknown option ${dashes}${option}.${hint}`
}

function checkArguments({ name, args = [] }: Description, given: readonly string[]) {
  const missing = args.find((arg, index) => given[index] === undefined && !arg.startsWith('['))
  const isRepeatable = args.at(-1)?.includes('…') === true
  const surplus = isRepeatable ? undefined : given[args.length]
  if (missing === undefined && surplus === undefined) return
  const reason =
    missing === undefined ? `unexpected argument "${surplus}"` : `${missing} is missing`
  throw new UsageError(`${reason}. Usage: mayfly ${[name, ...args].join(' ')}`)
}

function unset({ type, multiple }: OptionSpec): unknown {
  if (multiple === true) return []
  return type === 'boolean' ? false : undefined
}

function helpText(description: Description, table: OptionTable): string {
  const { name, summary, args = [], about, example } = description
  const rows = Object.entries(table).map(([option, { short, value, about: what }]) => {
    const left = `${short === undefined ? '    ' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`
    return [left, what] as const
  })
  const width = Math.max(...rows.map(([left]) => left.length))
  const options = rows.map(([left, what]) => `  ${left.padEnd(width)}  ${what}`).join('\n')
  const usage = ['mayfly', name, ...args, '[options]'].join(' ')
  const paragraphs = [
    `mayfly ${name}: ${summary}`,
    `Usage: ${usage}`,
    ...(about === undefined ? [] : [about]),
    `Options:\n${options}`,
    `Example:\n${example.replace(/^/gm, '  ')}`,
  ]
  return `${paragraphs.join('\n\n')}\n`
}
