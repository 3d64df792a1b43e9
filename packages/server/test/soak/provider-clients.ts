// Clients of providers for Go, PHP and Ruby. Needs Go 1.26, and Debian's packages for the others,
// which it installs as root.
//
//   npm run soak -- --only clients

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { CLIENTS, runClients } from '../providers/testing-clients.ts'

const BRIDGES = ['amazon', 'mailchimp', 'mailgun', 'postmark', 'sendgrid', 'sendinblue']
const PACKAGES = [
  ...BRIDGES.map((name) => `php-symfony-${name}-mailer`),
  ...['php-cli', 'php-curl', 'php-symfony-http-client', 'ruby-mail', 'ruby-postmark'],
]

const HTTP = 'HttpTransportException'
const INVALID = 'RfcComplianceException'
const POSTMARK = [
  'sent',
  'Postmark::InvalidEmailAddressError 300',
  'Postmark::ApiInputError 400',
  'Postmark::InvalidApiKeyError',
  'Postmark::UnexpectedHttpResponseError',
] as const

describe("providers' APIs", () => {
  before(() => {
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES]
    for (const args of [['update', '-qq'], install]) execFileSync('apt-get', args)
  })

  it('work with SDKs for Go', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mayfly-go-'))
    try {
      const program = join(folder, 'clients')
      execFileSync('go', ['build', '-o', program, '.'], { cwd: join(CLIENTS, 'go') })
      await runClients({
        command: program,
        args: [],
        env: ({ httpUrl }) => ({ RESEND_BASE_URL: `${httpUrl}/providers/resend/` }),
        clients: {
          'aws-sdk-go-v2': [
            ...['sent', 'BadRequestException', 'MessageRejected', 'UnrecognizedClientException'],
            'sent',
          ],
          'sendgrid-go': ['sent', 'status 400', 'status 403', 'status 401', 'status 429'],
          'resend-go': ['sent', 'Invalid `to` field', 'is no inbox', 'unknown', 'ErrRateLimit'],
          'mailgun-go': [
            ...['sent', 'UnexpectedResponseError 400', 'UnexpectedResponseError 403'],
            ...['UnexpectedResponseError 401', 'UnexpectedResponseError 429'],
          ],
          'mrz1836/postmark': [
            ...['sent', 'APIError 300', 'APIError 400', 'APIError 10', 'APIError 0'],
          ],
        },
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('work with the bridges of Symfony, by TLS', async () => {
    await runClients({
      command: 'php',
      args: ({ caFile }) => ['-d', `curl.cainfo=${caFile}`, 'symfony.php'],
      clients: {
        'ses+api': ['sent', INVALID, HTTP, HTTP, HTTP],
        'ses+https': ['sent', INVALID, HTTP, HTTP, HTTP],
        'sendgrid+api': ['sent', INVALID, `${HTTP} 403`, `${HTTP} 401`, `${HTTP} 429`],
        'postmark+api': ['sent', INVALID, `${HTTP} 400`, `${HTTP} 10`, `${HTTP} 0`],
        'mailgun+api': ['sent', INVALID, `${HTTP} 403`, `${HTTP} 401`, `${HTTP} 429`],
        'mailgun+https': ['sent', INVALID, `${HTTP} 403`, `${HTTP} 401`, `${HTTP} 429`],
        // These do not read the status of a recipient, which is `rejected`.
        'mandrill+api': ['sent', INVALID, 'sent', HTTP, HTTP],
        'mandrill+https': ['sent', INVALID, 'sent', HTTP, HTTP],
        'sendinblue+api': ['sent', INVALID, `${HTTP} 400`, `${HTTP} 401`, `${HTTP} 429`],
      },
    })
  })

  it('work with the gem of Postmark, and with Mail', async () => {
    await runClients({
      command: 'ruby',
      args: ['postmark.rb'],
      clients: { postmark: POSTMARK, mail: POSTMARK },
    })
  })
})
