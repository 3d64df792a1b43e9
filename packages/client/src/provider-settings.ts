import type { Inbox } from './inbox.ts'

/** The providers whose APIs are served; their names in paths are the same in lower case. */
export const PROVIDERS = [
  ...['SES', 'SendGrid', 'Resend', 'Postmark', 'Mailgun'],
  ...['Brevo', 'Mandrill', 'Mailtrap', 'Mailjet', 'MailerSend', 'SparkPost', 'ZeptoMail'],
]

/** The paths that SDKs have in their base URL. */
const PATHS: Readonly<Record<string, string>> = {
  brevo: 'v3/',
  mandrill: 'api/1.0/',
  mailersend: 'v1/',
}

/** The settings of a provider's SDK by which its mail arrives in an inbox. */
export type ProviderSettings = { readonly baseUrl: string; readonly key: string }

/** Makes these settings; `name` is that of the path. */
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
