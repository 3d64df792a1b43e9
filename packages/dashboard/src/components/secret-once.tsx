import { CopyButton } from './controls.tsx'
import { Icon } from './icon.tsx'

/** A secret that the service does not show again. */
export function SecretOnce({ title, secret }: { readonly title: string; readonly secret: string }) {
  return (
    <section class="secret-once" aria-label={title}>
      <p>
        <Icon name="key" /> <strong>{title}</strong> is shown only once. Copy it before you leave.
      </p>
      <p class="issued-key">
        <code>{secret}</code>
        <CopyButton text={secret} what="secret" />
      </p>
    </section>
  )
}
