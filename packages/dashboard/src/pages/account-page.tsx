import type { ComponentChildren } from 'preact'
import { IconLink } from '../components/controls.tsx'
import { type AccountPage, hrefOf } from '../routes.ts'
import { DomainsPage } from './domains-page.tsx'
import { KeysPage } from './keys-page.tsx'
import { ScenariosPage } from './scenarios-page.tsx'
import { SettingsPage } from './settings-page.tsx'
import { UsagePage } from './usage-page.tsx'
import { WebhooksPage } from './webhooks-page.tsx'

const PAGES: Readonly<
  Record<AccountPage, readonly [title: string, text: string, content: () => ComponentChildren]>
> = {
  keys: [
    'Keys',
    'A key lets a program use this account. Members cannot create keys or register domains.',
    () => <KeysPage />,
  ],
  domains: [
    'Domains',
    'Receive mail on a domain of your own: publish two DNS records, then verify.',
    () => <DomainsPage />,
  ],
  webhooks: [
    'Webhooks',
    'Every message is posted to these endpoints, signed, and tried five times.',
    () => <WebhooksPage />,
  ],
  scenarios: [
    'Scenarios',
    'A named set of checks. A run waits for a mail in an inbox and performs all checks.',
    () => <ScenariosPage />,
  ],
  usage: ['Usage', 'What this account used, by UTC day.', () => <UsagePage />],
  settings: [
    'Settings',
    'The account, and how this page behaves in this browser.',
    () => <SettingsPage />,
  ],
}

/** A page beside the inboxes. */
export function AccountPageView({ page }: { readonly page: AccountPage }) {
  const [title, text, content] = PAGES[page]
  return (
    <div class="page-body">
      <header class="page-header">
        <IconLink icon="back" label="Back" href={hrefOf({ page: 'inboxes' })} class="narrow" />
        <div>
          <h2>{title}</h2>
          <p class="muted">{text}</p>
        </div>
      </header>
      {content()}
    </div>
  )
}
