import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Where the sender sends to. */
export type Target = { readonly smtpPort: number; readonly emailAddress: string }

/** A library or program that sends mail, with its default settings, and the subject of its mail. */
export type Sender = {
  readonly name: string
  readonly subject: string
  readonly command: (target: Target) => readonly string[]
}

/** Files of the senders are beside this one. */
const script = (program: string, ...args: readonly string[]) => ({
  command: () => [program, ...args],
})

/** The text of a mail for programs that take one. */
const mailText = (subject: string) =>
  `From: app@example.com\\r\\nSubject: ${subject}\\r\\n\\r\\nYour code is 481516.\\r\\n`

/** The senders that were tried. `JARS` is the class path of the Java libraries. */
export const SENDERS: readonly Sender[] = [
  {
    name: 'nodemailer',
    subject: 'From nodemailer',
    ...script(process.execPath, 'nodemailer.mjs'),
  },
  { name: 'smtplib', subject: 'From smtplib', ...script('python3', 'python_smtplib.py') },
  { name: 'Django', subject: 'From Django', ...script('python3', 'send_django.py') },
  { name: 'Go net/smtp', subject: 'From Go', ...script('go', 'run', './go/main.go') },
  { name: 'Ruby mail', subject: 'From mail.rb', ...script('ruby', 'mail.rb') },
  { name: 'Rails', subject: 'From Rails', ...script('ruby', 'rails.rb') },
  { name: 'Symfony Mailer', subject: 'From Symfony Mailer', ...script('php', 'symfony.php') },
  { name: 'Laravel', subject: 'From Laravel', ...script('php', 'laravel.php') },
  { name: 'Jakarta Mail', subject: 'From Jakarta Mail', ...java('JakartaMail.java') },
  { name: 'Spring', subject: 'From Spring', ...java('SpringMail.java') },
  {
    name: 'swaks',
    subject: 'From swaks',
    command: ({ smtpPort, emailAddress }) => [
      'swaks',
      ...['--server', `127.0.0.1:${smtpPort}`, '--to', emailAddress, '--from', 'app@example.com'],
      ...['--header', 'Subject: From swaks'],
    ],
  },
  {
    name: 'curl',
    subject: 'From curl',
    command: ({ smtpPort, emailAddress }) =>
      piped(
        'From curl',
        `curl -sS smtp://127.0.0.1:${smtpPort} --mail-from app@example.com --mail-rcpt ${emailAddress} -T -`,
      ),
  },
  {
    name: 'msmtp',
    subject: 'From msmtp',
    command: ({ smtpPort, emailAddress }) =>
      piped(
        'From msmtp',
        `msmtp --host=127.0.0.1 --port=${smtpPort} --from=app@example.com ${emailAddress}`,
      ),
  },
  { name: 'sendmail of msmtp', subject: 'From sendmail', ...script('sh', 'sendmail.sh') },
]

/** Runs a sender; returns what it printed. Rejects with `ENOENT` when its program is missing. */
export async function send({ command }: Sender, target: Target): Promise<string> {
  const [program = '', ...args] = command(target)
  const { stdout, stderr } = await promisify(execFile)(program, args, {
    cwd: join(import.meta.dirname),
    env: {
      ...process.env,
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(target.smtpPort),
      TO: target.emailAddress,
    },
  })
  return `${stdout}${stderr}`.trim()
}

function java(file: string) {
  return script('java', '-cp', process.env['JARS'] ?? '', file)
}

function piped(subject: string, command: string): readonly string[] {
  return ['sh', '-c', `printf '${mailText(subject)}' | ${command}`]
}
