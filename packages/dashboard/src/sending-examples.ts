/** Where and to whom an example sends. */
export type Target = { readonly host: string; readonly port: number; readonly to: string }

/** Lines that send a mail, or make an application send its mail here. */
export const SENDING_EXAMPLES: readonly (readonly [
  name: string,
  text: (target: Target) => string,
])[] = [
  [
    'swaks',
    ({ host, port, to }) =>
      `swaks --server ${host}:${port} --to ${to} \\\n  --header 'Subject: Your code' --body 'Your code is 481516'`,
  ],
  [
    'curl',
    ({ host, port, to }) =>
      `printf 'Subject: Your code\\r\\n\\r\\nYour code is 481516\\r\\n' |\n  curl smtp://${host}:${port} --mail-from app@example.com --mail-rcpt ${to} -T -`,
  ],
  [
    'Nodemailer',
    ({ host, port, to }) =>
      `const transport = nodemailer.createTransport({ host: '${host}', port: ${port} })\nawait transport.sendMail({\n  from: 'app@example.com',\n  to: '${to}',\n  subject: 'Your code',\n  text: 'Your code is 481516',\n})`,
  ],
  [
    'Django',
    ({ host, port }) =>
      `# settings.py\nEMAIL_BACKEND = 'django.core.mail.backends.smtp.EmailBackend'\nEMAIL_HOST = '${host}'\nEMAIL_PORT = ${port}\nEMAIL_USE_TLS = False`,
  ],
  [
    'Laravel',
    ({ host, port }) =>
      `# .env\nMAIL_MAILER=smtp\nMAIL_HOST=${host}\nMAIL_PORT=${port}\nMAIL_USERNAME=null\nMAIL_PASSWORD=null`,
  ],
  [
    'Rails',
    ({ host, port }) =>
      `# config/environments/test.rb\nconfig.action_mailer.delivery_method = :smtp\nconfig.action_mailer.smtp_settings = { address: '${host}', port: ${port} }`,
  ],
]
