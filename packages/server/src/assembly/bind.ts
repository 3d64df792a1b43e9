/** Binds a feature to what it needs. */
export function bind<Deps, Args extends readonly unknown[], Result>(
  deps: Deps,
  feature: (deps: Deps, ...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => feature(deps, ...args)
}
