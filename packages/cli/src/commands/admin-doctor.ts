import { defineCommand } from '../command.ts'
import { certificateCheck } from '../doctor/certificate-check.ts'
import { dnsCheck } from '../doctor/dns-check.ts'
import type { Check, Finding } from '../doctor/finding.ts'
import { portCheck } from '../doctor/port-check.ts'
import { storeCheck } from '../doctor/store-check.ts'
import { CommandFailed } from '../exit.ts'
import { withServer } from '../operator.ts'
import { print, printJson, style, type Terminal } from '../terminal.ts'

const CHECKS: readonly Check[] = [storeCheck, portCheck, dnsCheck, certificateCheck]

const MARKS = { fine: 'green', warning: 'yellow', problem: 'red' } as const

/** `mayfly admin doctor` */
export const doctor = defineCommand({
  name: 'admin doctor',
  summary: 'check store, ports, DNS, certificates and clock, and say what to mend',
  about: 'Ends with 1 when there is a problem; warnings may be meant so.',
  options: { json: { type: 'boolean', about: 'print JSON, for programs' } },
  example: 'mayfly admin doctor',
  run: async ({ options, terminal }) => {
    const found = await withServer(terminal, async (server, config) => {
      const patient = { server, config, now: Date.now() }
      const looks = CHECKS.map(async ({ name, look }) =>
        (await look(patient)).map((finding) => ({ check: name, ...finding })),
      )
      return (await Promise.all(looks)).flat()
    })
    if (options.json) printJson(terminal, found)
    else for (const finding of found) show(terminal, finding)
    const problems = found.filter(({ level }) => level === 'problem').length
    if (problems > 0) {
      throw new CommandFailed(
        `${problems} ${problems === 1 ? 'thing needs' : 'things need'} mending.`,
      )
    }
  },
})

function show(terminal: Terminal, finding: Finding & { readonly check: string }): void {
  const level = style(terminal, MARKS[finding.level], finding.level.padEnd(7))
  print(terminal, `${level}  ${finding.check.padEnd(12)}  ${finding.text}`)
  if (finding.level !== 'fine') print(terminal, `${' '.repeat(23)}${finding.remedy}`)
}
