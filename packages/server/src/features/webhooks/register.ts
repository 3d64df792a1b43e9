import type { AccountId, Limits, Plan, Webhook, WebhookId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { SecretBox } from '../../platform/secret-box.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { requirePlanQuota } from '../rules/plan-quota.ts'
import { failPending } from './fail-pending.ts'
import { SECRET_BYTES, webhookSecret } from './signature.ts'

export type WebhookDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly limitsOf: (plan: Plan) => Limits
  readonly secretBox: Pick<SecretBox, 'seal'>
  /** The account of the user of this machine; null without one. */
  readonly localAccount: AccountId | null
}

const HTTPS_ONLY =
  'url: must be an https:// URL; http:// to a loopback address is only for the local account of the machine'

/** A webhook with its secret, which is shown only once. */
export type RegisteredWebhook = { readonly webhook: Webhook; readonly secret: string }

/**
 * Registers an endpoint.
 *
 * Disabled webhooks do not count towards the plan, so that an endpoint can be registered again
 * without deleting its old entry.
 */
export async function createWebhook(
  deps: WebhookDeps,
  caller: Caller,
  { url }: { readonly url: string },
): Promise<RegisteredWebhook> {
  const isPlain = !url.toLowerCase().startsWith('https:')
  if (isPlain && caller.accountId !== deps.localAccount) {
    throw new ServiceError('invalid_parameter', { message: HTTPS_ONLY })
  }
  const secret = webhookSecret(deps.ids.randomBytes(SECRET_BYTES))
  const limit = deps.limitsOf(caller.plan).webhooks
  return deps.store.transaction(async (tx) => {
    await tx.accounts.lock(caller.accountId)
    const active = await tx.webhooks.listActive([caller.accountId])
    requirePlanQuota('webhook', { limit, used: active.length })
    const webhook = await tx.webhooks.add(caller.accountId, {
      id: deps.ids.next('webhook'),
      url,
      secretSealed: deps.secretBox.seal(secret),
      createdAt: deps.clock.now(),
    })
    return { webhook, secret }
  })
}

/** The caller's webhooks, oldest first. */
export async function listWebhooks(deps: WebhookDeps, caller: Caller): Promise<Webhook[]> {
  return deps.store.webhooks.list(caller.accountId)
}

/** Deletes an endpoint; its pending deliveries fail. */
export async function deleteWebhook(
  deps: WebhookDeps,
  caller: Caller,
  id: WebhookId,
): Promise<void> {
  const wasThere = await deps.store.webhooks.delete(caller.accountId, id)
  if (!wasThere) throw new ServiceError('webhook_not_found')
  // Without its error: the webhook is deleted already.
  await Promise.allSettled([failPending(deps.store, id)])
}
