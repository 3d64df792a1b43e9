import { defineCommand } from '../command.ts'
import { certificateCheck } from '../doctor/certificate-check.ts'
import type { Check, Finding } from '../doctor/check.ts'
import { databaseCheck } from '../doctor/database-check.ts'
import { dnsCheck } from '../doctor/dns-check.ts'
import { portCheck } from '../doctor/port-check.ts'
import { CommandFailed } from '../exit.ts'
import { withServer } from '../operator.ts'
import { print, printJson, style } from '../output.ts'
import type { Terminal } from '../terminal.ts'

const CHECKS: readonly Check[] = [databaseCheck, portCheck, dnsCheck, certificateCheck]

const MARKS = { fine: 'green', warning: 'yellow', problem: 'red' } as const

/** `mayfly admin doctor` */
export const doctor = defineCommand({
  name: 'admin doctor',
  summary: 'check database, ports, DNS, certificates and clock, and say how to fix problems',
  about: 'Exits with 1 when there is a problem; a warning may be intended.',
  options: { json: { type: 'boolean', about: 'print JSON' } },
  example: 'mayfly admin doctor',
  run: async ({ options, terminal }) => {
    const found = await withServer(terminal, async (server, config) => {
      const context = { server, config, now: Date.now(), mailPort: 25 }
      const checked = CHECKS.map(async ({ name, run }) =>
        (await run(context)).map((finding) => ({ check: name, ...finding })),
      )
      return (await Promise.all(checked)).flat()
    })
    if (options.json) printJson(terminal, found)
    else for (const finding of found) show(terminal, finding)
    const problems = found.filter(({ level }) => level === 'problem').length
    if (problems > 0) {
      throw new CommandFailed(`${problems} ${problems === 1 ? 'problem' : 'problems'} found.`)
    }
  },
})

function show(terminal: Terminal, finding: Finding & { readonly check: string }): void {
  const level = style(terminal, MARKS[finding.level], finding.level.padEnd(7))
  print(terminal, `${level}  ${finding.check.padEnd(12)}  ${finding.text}`)
  if (finding.level !== 'fine') {
    print(terminal, `${' '.repeat(23)}${terminal.withCommands(finding.remedy)}`)
  }
}
