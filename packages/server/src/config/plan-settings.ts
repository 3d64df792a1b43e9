import { planOverrideSchema } from './plan-override.ts'
import { type Setting, setting, wholeNumber } from './setting.ts'

const planOverride = (plan: string) =>
  setting(planOverrideSchema, {
    default: '',
    type: 'list',
    sentence: `Limits of the plan ${plan} that are to be others, by their names in GET /v1/account, as inboxesPerDay=50,requestsPerMinute=none.`,
  })

/** What plans and addresses may do. */
export const PLAN_SETTINGS = {
  MAYFLY_PLAN_KEY_ONLY: planOverride('key_only'),
  MAYFLY_PLAN_CONNECTED: planOverride('connected'),
  MAYFLY_PLAN_UNLIMITED: planOverride('unlimited'),
  MAYFLY_REGISTRATIONS_PER_HOUR: setting(wholeNumber(1, 1_000_000), {
    default: '10',
    type: 'number',
    sentence: 'Accounts that one address may register in an hour; the machine itself is exempt.',
  }),
} as const satisfies Record<string, Setting>
