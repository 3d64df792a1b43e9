import { faultsSchema, idSchema, setFaults } from '@mayfly/contract'
import { defineTool, READ_ONLY } from '../tool.ts'

/** Refusing mail on purpose. */
export const faultTools = [
  defineTool({
    name: 'set_faults',
    title: 'Make an inbox refuse mail',
    description:
      'Makes an inbox refuse mail with SMTP codes of your choice. Use it to see how the application under test handles refusals: 4xx asks it to try again, 5xx tells it not to. Replaces earlier rules; an empty list deletes them. Rules expire by themselves. explain_missing_mail shows each refusal.',
    input: setFaults.body.extend({ inboxId: idSchema('inbox') }),
    output: faultsSchema,
    annotations: { ...READ_ONLY, readOnlyHint: false },
    run: ({ app, caller }, input) => app.faults.set(caller, input),
  }),
]
