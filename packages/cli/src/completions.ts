import type { Command, OptionTable } from './command.ts'

/** Shells that completions are made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** A shell that completions are made for. */
export type Shell = (typeof SHELLS)[number]

/** A position on the command line and its possible continuations: `inbox` → `new`, `list`, … */
type Position = {
  readonly path: readonly string[]
  readonly subcommands: readonly Command[]
  readonly options: readonly string[]
}

/** A script that makes the shell complete commands and options. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const positions = positionsOf([], { subcommands: commands })
  if (shell === 'bash') return bashScript(positions)
  return shell === 'zsh' ? zshScript(positions) : fishScript(positions)
}

function positionsOf(
  path: readonly string[],
  { subcommands = [], options = {} }: Pick<Command, 'subcommands' | 'options'>,
): readonly Position[] {
  const position = { path, subcommands, options: optionNames(options) }
  const below = subcommands.flatMap((command) => positionsOf([...path, command.name], command))
  return [position, ...below]
}

function optionNames(table: OptionTable): readonly string[] {
  return Object.keys(table).map((name) => `--${name}`)
}

function wordsAt({ subcommands, options }: Position): string {
  return [...subcommands.map(({ name }) => name), ...options].join(' ')
}

/** Options between the commands of a line are skipped when the position is determined. */
function bashScript(positions: readonly Position[]): string {
  const cases = positions.map(
    (position) => `    '${position.path.join(' ')}') words='${wordsAt(position)}' ;;`,
  )
  return `# Completion of mayfly for bash. Load it with: source <(mayfly completions bash)
_mayfly() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && continue
    case "$place\${place:+ }$word" in
${commandPaths(positions)
  .map((path) => `      '${path}') place='${path}' ;;`)
  .join('\n')}
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _mayfly mayfly
`
}

function zshScript(positions: readonly Position[]): string {
  const cases = positions.map((position) => {
    const described = position.subcommands.map(({ name, summary }) => quoted(`${name}:${summary}`))
    const words = [...described, ...position.options].join(' ')
    return `    ${quoted(position.path.join(' '))}) offered=(${words}) ;;`
  })
  return `#compdef mayfly
# Completion of mayfly for zsh. Load it with: source <(mayfly completions zsh)
_mayfly() {
  local place='' word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && continue
    case "$place\${place:+ }$word" in
${commandPaths(positions)
  .map((path) => `      '${path}') place='${path}' ;;`)
  .join('\n')}
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  _describe 'mayfly' offered || _files
}
compdef _mayfly mayfly
`
}

function fishScript(positions: readonly Position[]): string {
  const lines = positions.flatMap(({ path, subcommands, options }) => {
    const condition = `-n "__mayfly_at ${quoted(path.join(' '))}"`
    return [
      ...subcommands.map(
        ({ name, summary }) =>
          `complete -c mayfly ${condition} -f -a ${name} -d ${quoted(summary)}`,
      ),
      ...options.map((option) => `complete -c mayfly ${condition} -l ${option.slice(2)}`),
    ]
  })
  return `# Completion of mayfly for fish. Load it with: mayfly completions fish | source
function __mayfly_at
  set -l place ''
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and continue
    set -l next (string trim "$place $word")
    contains -- $next ${commandPaths(positions).map(quoted).join(' ')}; and set place $next
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
`
}

function commandPaths(positions: readonly Position[]): readonly string[] {
  return positions.filter(({ path }) => path.length > 0).map(({ path }) => path.join(' '))
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '')}'`
}
