import type { Command, OptionTable } from './command.ts'

/** Shells that completions are made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** A shell that completions are made for. */
export type Shell = (typeof SHELLS)[number]

/** A place on the command line and what may stand there: `inbox` → `new`, `list`, … */
type Place = {
  readonly path: readonly string[]
  readonly subcommands: readonly Command[]
  readonly options: readonly string[]
}

/** A script that makes the shell complete commands and options. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const places = placesOf([], { subcommands: commands })
  if (shell === 'bash') return bashScript(places)
  return shell === 'zsh' ? zshScript(places) : fishScript(places)
}

function placesOf(
  path: readonly string[],
  { subcommands = [], options = {} }: Pick<Command, 'subcommands' | 'options'>,
): readonly Place[] {
  const place = { path, subcommands, options: optionNames(options) }
  const below = subcommands.flatMap((command) => placesOf([...path, command.name], command))
  return [place, ...below]
}

function optionNames(table: OptionTable): readonly string[] {
  return Object.keys(table).map((name) => `--${name}`)
}

function wordsAt({ subcommands, options }: Place): string {
  return [...subcommands.map(({ name }) => name), ...options].join(' ')
}

/** Options between the commands of a line are skipped, so that the place is still found. */
function bashScript(places: readonly Place[]): string {
  const cases = places.map((place) => `    '${place.path.join(' ')}') words='${wordsAt(place)}' ;;`)
  return `# Completion of mayfly for bash. Load it with: source <(mayfly completions bash)
_mayfly() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && continue
    case "$place\${place:+ }$word" in
${commandPaths(places)
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

function zshScript(places: readonly Place[]): string {
  const cases = places.map((place) => {
    const described = place.subcommands.map(({ name, summary }) => quoted(`${name}:${summary}`))
    const words = [...described, ...place.options].join(' ')
    return `    ${quoted(place.path.join(' '))}) offered=(${words}) ;;`
  })
  return `#compdef mayfly
# Completion of mayfly for zsh. Load it with: source <(mayfly completions zsh)
_mayfly() {
  local place='' word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && continue
    case "$place\${place:+ }$word" in
${commandPaths(places)
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

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, subcommands, options }) => {
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
    contains -- $next ${commandPaths(places).map(quoted).join(' ')}; and set place $next
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
`
}

function commandPaths(places: readonly Place[]): readonly string[] {
  return places.filter(({ path }) => path.length > 0).map(({ path }) => path.join(' '))
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '')}'`
}
