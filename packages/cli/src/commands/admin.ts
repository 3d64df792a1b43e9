import type { Command } from '../command.ts'
import { defineGroup } from '../command.ts'
import { accounts, disconnect, giveKey, plan, revokeKeys } from './admin-accounts.ts'
import { backup } from './admin-backup.ts'
import { doctor } from './admin-doctor.ts'
import { purge, resume, suspend } from './admin-targets.ts'

/** What an operator does on the configured store, with or without a running service. */
export const admin: Command = defineGroup('admin', 'look after accounts and the store', [
  accounts,
  plan,
  suspend,
  resume,
  giveKey,
  revokeKeys,
  disconnect,
  purge,
  backup,
  doctor,
])
