import type { Command } from '../command.ts'
import { defineGroup } from '../command.ts'
import { account } from './admin-account.ts'
import { accounts, disconnect, giveKey, plan, revokeKeys } from './admin-accounts.ts'
import { backup } from './admin-backup.ts'
import { cells } from './admin-cells.ts'
import { doctor } from './admin-doctor.ts'
import { purge, resume, suspend } from './admin-targets.ts'

/** Commands of the operator on the configured database, whether or not the service is running. */
export const admin: Command = defineGroup('admin', 'manage accounts and the database', [
  accounts,
  account,
  plan,
  suspend,
  resume,
  giveKey,
  revokeKeys,
  disconnect,
  purge,
  backup,
  cells,
  doctor,
])
