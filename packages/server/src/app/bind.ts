type Feature<World> = (world: World, ...args: never) => unknown

type Bound<Features> = {
  readonly [Name in keyof Features]: Features[Name] extends (
    world: never,
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Result
    : never
}

/** Binds a feature to its dependencies. */
export function bind<World, Args extends readonly unknown[], Result>(
  world: World,
  feature: (world: World, ...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => feature(world, ...args)
}

/** Binds features to their dependencies, which the world must have. */
export function bindAll<World, Features extends Readonly<Record<string, Feature<World>>>>(
  world: World,
  features: Features,
): Bound<Features> {
  const bound = Object.entries(features).map(([name, feature]) => [
    name,
    (...args: never) => feature(world, ...args),
  ])
  // Each entry is that of `features`, without its first parameter.
  return Object.fromEntries(bound) as Bound<Features>
}
