import type { AccountId, HeldWait, InboxId } from '@mayfly/contract'

/** The open waits of this node: calls that found nothing yet and sleep. */
export class OpenWaits {
  readonly #node: string
  readonly #onChange: (accountId: AccountId, change: 'started' | 'ended', wait: HeldWait) => void
  readonly #byAccount = new Map<AccountId, Map<string, HeldWait>>()
  #count = 0

  constructor(options: {
    /** Unique to this run of this node; part of the ids. */
    readonly node: string
    readonly onChange: (accountId: AccountId, change: 'started' | 'ended', wait: HeldWait) => void
  }) {
    this.#node = options.node
    this.#onChange = options.onChange
  }

  /** Registers a wait until it is disposed of. */
  register(
    accountId: AccountId,
    about: { readonly inboxId: InboxId; readonly for: HeldWait['for']; readonly until: number },
  ): Disposable {
    this.#count += 1
    const wait: HeldWait = {
      id: `${this.#node}-${this.#count}`,
      inboxId: about.inboxId,
      for: about.for,
      deadline: new Date(about.until).toISOString(),
    }
    const others = this.#byAccount.get(accountId)
    if (others === undefined) this.#byAccount.set(accountId, new Map([[wait.id, wait]]))
    else others.set(wait.id, wait)
    this.#onChange(accountId, 'started', wait)
    return { [Symbol.dispose]: () => this.#release(accountId, wait) }
  }

  /** The waits of an account. */
  list(accountId: AccountId): HeldWait[] {
    return [...(this.#byAccount.get(accountId)?.values() ?? [])]
  }

  #release(accountId: AccountId, wait: HeldWait): void {
    const others = this.#byAccount.get(accountId)
    if (others?.delete(wait.id) !== true) return
    if (others.size === 0) this.#byAccount.delete(accountId)
    this.#onChange(accountId, 'ended', wait)
  }
}
