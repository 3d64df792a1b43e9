import type { Command } from './command.ts'
import { account, whoami } from './commands/account.ts'
import { admin } from './commands/admin.ts'
import { assert } from './commands/assert.ts'
import { completionsCommand } from './commands/completions.ts'
import { diagnose } from './commands/diagnose.ts'
import { faults } from './commands/faults.ts'
import { healthcheck } from './commands/healthcheck.ts'
import { inbox } from './commands/inbox.ts'
import { keys } from './commands/keys.ts'
import { login } from './commands/login.ts'
import { logout } from './commands/logout.ts'
import { mcp } from './commands/mcp.ts'
import { messages } from './commands/messages.ts'
import { open } from './commands/open.ts'
import { otp } from './commands/otp.ts'
import { scenario } from './commands/scenario.ts'
import { search } from './commands/search.ts'
import { send } from './commands/send.ts'
import { serve } from './commands/serve.ts'
import { show } from './commands/show.ts'
import { signup } from './commands/signup.ts'
import { tail } from './commands/tail.ts'
import { totp } from './commands/totp.ts'
import { wait } from './commands/wait.ts'
import { webhooks } from './commands/webhooks.ts'

/** Every command, in the order in which the help lists them. */
export const COMMANDS: readonly Command[] = [
  serve,
  open,
  inbox,
  send,
  wait,
  otp,
  messages,
  show,
  tail,
  search,
  diagnose,
  assert,
  scenario,
  faults,
  webhooks,
  totp,
  mcp,
  signup,
  login,
  logout,
  whoami,
  account,
  keys,
  admin,
  healthcheck,
  completionsCommand(() => COMMANDS),
]
