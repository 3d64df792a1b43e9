import { SETTINGS } from './settings.ts'

/** Every setting for a terminal: name, type, default, sentence. */
export function settingsHelp(): string {
  const entries = Object.entries(SETTINGS).map(([name, { type, default: unset, sentence }]) => {
    const value = unset === '' ? 'unset' : unset
    return `  ${name}  (${type}; default: ${value})\n      ${sentence}`
  })
  return entries.join('\n')
}

/** Every setting as the table of docs/configuration.md. */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, { type, default: unset, sentence }]) => {
    const value = unset === '' ? 'unset' : `\`${unset}\``
    return `| \`${name}\` | ${type} | ${value} | ${sentence} |`
  })
  return ['| variable | type | default | what it does |', '|---|---|---|---|', ...rows].join('\n')
}
