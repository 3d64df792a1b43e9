/** The server and the recipient of an example. */
export type Target = {
  readonly host: string
  readonly port: number
  readonly to: string
  /** The user name of a catch-all inbox; empty without a login. */
  readonly user: string
}

/** Lines that send a mail, or make an application send its mail here. */
export const SENDING_EXAMPLES: readonly (readonly [
  name: string,
  text: (target: Target) => string,
])[] = [
  [
    'swaks',
    ({ host, port, to, user }) =>
      `swaks --server ${host}:${port} --to ${to} \\\n${user && `  --auth-user ${user} \\\n  --auth-password "$MAYFLY_API_KEY" \\\n`}  --header 'Subject: Your code' --body 'Your code is 481516'`,
  ],
  [
    'curl',
    ({ host, port, to, user }) =>
      `printf 'Subject: Your code\\r\\n\\r\\nYour code is 481516\\r\\n' |\n  curl smtp://${host}:${port} ${user && `\\\n  --user "${user}:$MAYFLY_API_KEY" \\\n  `}--mail-from app@example.com --mail-rcpt ${to} -T -`,
  ],
  [
    'Nodemailer',
    ({ host, port, to, user }) =>
      `const transport = nodemailer.createTransport({\n  host: '${host}',\n  port: ${port},\n${user && `  auth: { user: '${user}', pass: process.env.MAYFLY_API_KEY },\n`}})\nawait transport.sendMail({\n  from: 'app@example.com',\n  to: '${to}',\n  subject: 'Your code',\n  text: 'Your code is 481516',\n})`,
  ],
  [
    'Django',
    ({ host, port, user }) =>
      `# settings.py\n${user && 'import os\n\n'}EMAIL_BACKEND = 'django.core.mail.backends.smtp.EmailBackend'\nEMAIL_HOST = '${host}'\nEMAIL_PORT = ${port}\nEMAIL_USE_TLS = False${user && `\nEMAIL_HOST_USER = '${user}'\nEMAIL_HOST_PASSWORD = os.environ['MAYFLY_API_KEY']`}`,
  ],
  [
    'Laravel',
    ({ host, port, user }) =>
      `# .env\nMAIL_MAILER=smtp\nMAIL_HOST=${host}\nMAIL_PORT=${port}\nMAIL_USERNAME=${user || 'null'}\nMAIL_PASSWORD=${user ? `"\${MAYFLY_API_KEY}"` : 'null'}`,
  ],
  [
    'Rails',
    ({ host, port, user }) =>
      `# config/environments/test.rb\nconfig.action_mailer.delivery_method = :smtp\nconfig.action_mailer.smtp_settings = { address: '${host}', port: ${port}${user && `,\n  user_name: '${user}', password: ENV['MAYFLY_API_KEY'], authentication: :plain`} }`,
  ],
]
