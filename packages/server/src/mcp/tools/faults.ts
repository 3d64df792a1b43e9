import { idSchema, setFaults } from '@mayfly/contract'
import { defineTool, READ_ONLY } from '../tool.ts'

const SHOWN_RULES = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      phase: { enum: ['authentication', 'sender', 'recipient', 'data'] },
      code: { type: 'integer', minimum: 400, maximum: 599 },
      text: { type: 'string', description: 'Text of the reply.' },
      times: { type: 'integer', description: 'Refuse this many. Default: all.' },
      probability: { type: 'integer', description: 'Or each with this percentage.' },
    },
    required: ['phase', 'code'],
  },
}

/** Refusing mail on purpose. */
export const faultTools = [
  defineTool({
    name: 'set_faults',
    description:
      'Makes an inbox refuse mail with SMTP codes. Use it to see how the application handles refusals: 4xx asks it to try again, 5xx not to. Replaces earlier rules; an empty list deletes them.',
    input: setFaults.body.extend({
      inboxId: idSchema('inbox'),
      rules: setFaults.body.shape.rules.meta({ shownAs: SHOWN_RULES }),
    }),
    annotations: { ...READ_ONLY, readOnlyHint: false },
    run: ({ app, caller }, input) => app.faults.set(caller, input),
  }),
]
