import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Where the sender sends to. */
export type Target = { readonly smtpPort: number; readonly emailAddress: string }

/** A library or program that sends mail, with its default settings, and the subject of its mail. */
export type Sender = {
  readonly name: string
  readonly subject: string
  readonly command: (target: Target) => readonly string[]
  readonly needs: Requirement
}

/** What a sender needs besides Node, and a command that fails where it is not installed. */
type Requirement = { readonly what: string; readonly check: readonly string[] }

/** Files of the senders are beside this one. */
const script = (program: string, ...args: readonly string[]) => ({
  command: () => [program, ...args],
})

/** The text of a mail for programs that take one. */
const mailText = (subject: string) =>
  `From: app@example.com\\r\\nSubject: ${subject}\\r\\n\\r\\nYour code is 481516.\\r\\n`

/** The class path of the Java libraries. */
const JARS = process.env['JARS'] ?? ''

/** A program; the argument makes it print its version. */
const program = (name: string, versionArgument = '--version') => ({
  needs: { what: name, check: [name, versionArgument] },
})

/** A library of an interpreter, which loads it with the code. */
const library = (what: string, check: readonly string[]) => ({ needs: { what, check } })

/** The senders that were tried. */
export const SENDERS: readonly Sender[] = [
  {
    name: 'nodemailer',
    subject: 'From nodemailer',
    ...script(process.execPath, 'nodemailer.mjs'),
    ...program(process.execPath),
  },
  {
    name: 'smtplib',
    subject: 'From smtplib',
    ...script('python3', 'python_smtplib.py'),
    ...program('python3'),
  },
  {
    name: 'Django',
    subject: 'From Django',
    ...script('python3', 'send_django.py'),
    ...library('Django for python3', ['python3', '-c', 'import django']),
  },
  {
    name: 'Go net/smtp',
    subject: 'From Go',
    ...script('go', 'run', './go/main.go'),
    ...program('go', 'version'),
  },
  {
    name: 'Ruby mail',
    subject: 'From mail.rb',
    ...script('ruby', 'mail.rb'),
    ...library('ruby with the gem mail', ['ruby', '-e', "require 'mail'"]),
  },
  {
    name: 'Rails',
    subject: 'From Rails',
    ...script('ruby', 'rails.rb'),
    ...library('ruby with Rails', ['ruby', '-e', "require 'rails'; require 'action_mailer'"]),
  },
  {
    name: 'Symfony Mailer',
    subject: 'From Symfony Mailer',
    ...script('php', 'symfony.php'),
    ...library('php with Symfony Mailer', php('Symfony/Component/Mailer')),
  },
  {
    name: 'Laravel',
    subject: 'From Laravel',
    ...script('php', 'laravel.php'),
    ...library("php with Laravel's mail component", php('Illuminate/Mail')),
  },
  {
    name: 'Jakarta Mail',
    subject: 'From Jakarta Mail',
    ...script('java', '-cp', JARS, 'JakartaMail.java'),
    ...library('a JDK with Jakarta Mail in JARS', classes('jakarta.mail.Transport')),
  },
  {
    name: 'Spring',
    subject: 'From Spring',
    ...script('java', '-cp', JARS, 'SpringMail.java'),
    ...library(
      'a JDK with Spring and Jakarta Mail in JARS',
      classes('org.springframework.mail.javamail.JavaMailSenderImpl', 'jakarta.mail.Transport'),
    ),
  },
  {
    name: 'swaks',
    subject: 'From swaks',
    command: ({ smtpPort, emailAddress }) => [
      'swaks',
      ...['--server', `127.0.0.1:${smtpPort}`, '--to', emailAddress, '--from', 'app@example.com'],
      ...['--header', 'Subject: From swaks'],
    ],
    ...program('swaks'),
  },
  {
    name: 'curl',
    subject: 'From curl',
    command: ({ smtpPort, emailAddress }) =>
      piped(
        'From curl',
        `curl -sS smtp://127.0.0.1:${smtpPort} --mail-from app@example.com --mail-rcpt ${emailAddress} -T -`,
      ),
    ...program('curl'),
  },
  {
    name: 'msmtp',
    subject: 'From msmtp',
    command: ({ smtpPort, emailAddress }) =>
      piped(
        'From msmtp',
        `msmtp --host=127.0.0.1 --port=${smtpPort} --from=app@example.com ${emailAddress}`,
      ),
    ...program('msmtp'),
  },
  {
    name: 'sendmail of msmtp',
    subject: 'From sendmail',
    ...script('sh', 'sendmail.sh'),
    // Another sendmail reads other configuration files.
    ...library('msmtp-mta', ['sh', '-c', '/usr/sbin/sendmail --version </dev/null | grep msmtp']),
  },
]

/** What the sender needs and is not installed; null when nothing is missing. */
export async function missing({ needs }: Sender): Promise<string | null> {
  const [program = '', ...args] = needs.check
  try {
    await promisify(execFile)(program, args, { cwd: import.meta.dirname })
    return null
  } catch {
    return needs.what
  }
}

/** Runs a sender; returns what it printed. */
export async function send({ command }: Sender, target: Target): Promise<string> {
  const [program = '', ...args] = command(target)
  const { stdout, stderr } = await promisify(execFile)(program, args, {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(target.smtpPort),
      TO: target.emailAddress,
    },
  })
  return `${stdout}${stderr}`.trim()
}

function php(library: string): readonly string[] {
  return ['php', '-r', `require '${library}/autoload.php';`]
}

function classes(...names: readonly string[]): readonly string[] {
  return ['javap', '-cp', JARS, ...names]
}

function piped(subject: string, command: string): readonly string[] {
  return ['sh', '-c', `printf '${mailText(subject)}' | ${command}`]
}
