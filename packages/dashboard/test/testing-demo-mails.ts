const BOUNDARY = 'mayfly-demo'

/** A mail of the demonstration: who it is from and its whole source after the address lines. */
export type DemoMail = { readonly from: string; readonly source: string }

/** Mails as applications under test send them, oldest first. */
export const DEMO_MAILS: readonly DemoMail[] = [
  {
    from: 'Linden Bank <alerts@linden.example>',
    source: plain('Your statement for October is ready', [
      'Hello Robin,',
      '',
      'Your statement for October 2026 is ready.',
      'See it at https://linden.example/statements/2026-10',
    ]),
  },
  {
    from: 'Harbour Ltd <billing@harbour.example>',
    source: withAttachments('Invoice 2026-1107', [
      ['invoice-2026-1107.pdf', 'application/pdf', '%PDF-1.4 demonstration'],
      ['setup.exe', 'application/octet-stream', 'MZ demonstration'],
    ]),
  },
  {
    from: 'Orchard Weekly <news@orchard.example>',
    source: html('This week: slower mornings, better bread', newsletter()),
  },
  {
    from: 'Acme <no-reply@acme.example>',
    source: html(
      'Reset your password',
      card({
        title: 'Reset your password',
        text: 'Somebody asked for a new password for your account. The link works for one hour.',
        button: ['Choose a new password', 'https://acme.example/reset?token=4f9a7c2e81'],
        note: 'If it was not you, nothing has to be done.',
      }),
    ),
  },
  {
    from: 'Acme <no-reply@acme.example>',
    source: html(
      'Your Acme verification code',
      card({
        title: 'Confirm your email',
        text: 'Enter this code to finish signing up. It works for 10 minutes.',
        code: '481 516',
        button: ['Or confirm with one click', 'https://acme.example/confirm?token=9b1d03'],
        note: 'Order 2026-88123 is reserved for you until then.',
      }),
    ),
  },
]

function plain(subject: string, lines: readonly string[]): string {
  return message(subject, 'text/plain; charset=utf-8', lines.join('\r\n'))
}

function html(subject: string, body: string): string {
  return message(subject, 'text/html; charset=utf-8', body)
}

function withAttachments(
  subject: string,
  files: readonly (readonly [name: string, type: string, content: string])[],
): string {
  const parts = [
    'Content-Type: text/plain; charset=utf-8\r\n\r\nThe invoice is attached. Thank you!',
    ...files.map(
      ([name, type, content]) =>
        `Content-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}`,
    ),
  ]
  const body = parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')
  return message(subject, `multipart/mixed; boundary="${BOUNDARY}"`, `${body}--${BOUNDARY}--`)
}

function message(subject: string, type: string, body: string): string {
  const lines = [
    `Subject: ${subject}`,
    'Date: Sun, 15 Nov 2026 12:00:00 +0000',
    'Message-ID: <demo@acme.example>',
    'X-Mailer: Acme Notifications 4.2',
    'MIME-Version: 1.0',
    `Content-Type: ${type}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}\r\n`
}

function card(parts: {
  readonly title: string
  readonly text: string
  readonly code?: string
  readonly button: readonly [text: string, url: string]
  readonly note: string
}): string {
  const code =
    parts.code === undefined
      ? ''
      : `<p style="margin:24px 0;padding:20px;background:#f3f0ff;border-radius:10px;text-align:center;font:700 34px monospace;letter-spacing:6px;color:#4c1d95">${parts.code}</p>`
  return `<!doctype html><html><head><style>@media (prefers-color-scheme: dark) { body { background: #17151f !important } .card { background: #221f2e !important; color: #eee !important } }</style></head><body style="margin:0;background:#f4f4f7;font-family:Helvetica,Arial,sans-serif"><div class="card" style="max-width:520px;margin:32px auto;padding:36px;background:#fff;border-radius:14px;color:#222"><p style="margin:0 0 24px;font-weight:700;font-size:20px;color:#6d28d9">acme</p><h1 style="margin:0 0 12px;font-size:24px">${parts.title}</h1><p style="line-height:1.6">${parts.text}</p>${code}<p style="margin:28px 0"><a href="${parts.button[1]}" style="display:inline-block;padding:13px 22px;background:#6d28d9;color:#fff;border-radius:9px;text-decoration:none;font-weight:700">${parts.button[0]}</a></p><p style="color:#666;font-size:13px">${parts.note}</p></div></body></html>`
}

function newsletter(): string {
  const items = ['Bread without a plan', 'A walk before the first mail', 'What the kettle knows']
  const list = items.map(
    (item) =>
      `<tr><td style="padding:14px 0;border-top:1px solid #ddd"><b>${item}</b><br><span style="color:#666">Four minutes to read</span></td></tr>`,
  )
  return `<!doctype html><html><body style="margin:0;background:#faf7f2;font-family:Georgia,serif"><table width="100%"><tr><td align="center"><table width="560" style="max-width:100%;padding:28px"><tr><td><h1 style="font-size:30px;color:#7c2d12">Orchard Weekly</h1><img src="https://orchard.example/header.png" alt="An orchard in the morning" width="500" height="120"></td></tr>${list.join('')}</table></td></tr></table></body></html>`
}
