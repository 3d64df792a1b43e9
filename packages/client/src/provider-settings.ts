import type { Inbox } from './inbox.ts'

/** The providers whose APIs are served; their names in paths are the same in lower case. */
export const PROVIDERS = [
  ...['SES', 'SendGrid', 'Resend', 'Postmark', 'Mailgun'],
  ...['Brevo', 'Mandrill', 'Mailtrap', 'Mailjet', 'MailerSend'],
]

/** What SDKs have in their base URL behind the host. */
const PATHS: Readonly<Record<string, string>> = {
  brevo: 'v3/',
  mandrill: 'api/1.0/',
  mailersend: 'v1/',
}

/** What an SDK of a provider is given so that its mail arrives in an inbox. */
export type ProviderSettings = { readonly baseUrl: string; readonly key: string }

/** The settings of a provider's SDK; `name` is that of the path. */
export function providerSettings(
  name: string,
  inbox: Pick<Inbox, 'id' | 'catchAll'>,
  service: { readonly baseUrl: string; readonly apiKey: string },
): ProviderSettings {
  return {
    baseUrl: `${service.baseUrl}/providers/${name}/${PATHS[name] ?? ''}`,
    // With the key alone each recipient's own inbox gets the mail.
    key: service.apiKey + (inbox.catchAll ? `.${inbox.id}` : ''),
  }
}
