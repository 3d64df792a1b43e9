/**
 * Looks that many waits make at the same moment for the same reason, made once.
 *
 * Shared is only a look that is under way, and only among those whom one and the same wake
 * brought here: it began after that wake, so it sees what they were woken for. A first look is
 * never shared; one that began before the subscription might have missed what came between.
 */
export class SharedLooks {
  readonly #underWay = new Map<string, Promise<unknown>>()

  /** The result of the look of this name that is under way, or of a new one. */
  share<T>(name: string, look: () => Promise<T>): Promise<T> {
    const known = this.#underWay.get(name)
    // A name says all that a look depends on, so the same name has the same type.
    if (known !== undefined) return known as Promise<T>
    const made = look()
    this.#underWay.set(name, made)
    const forget = () => this.#underWay.delete(name)
    made.then(forget, forget)
    return made
  }
}
