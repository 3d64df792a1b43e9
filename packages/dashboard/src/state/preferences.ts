import { effect, signal } from '@preact/signals'

/** Which colours the page has. */
type Theme = 'system' | 'light' | 'dark'

/** The settings of the reader in this browser. */
export type Preferences = {
  readonly theme: Theme
  readonly hasShortcuts: boolean
  readonly hasNotifications: boolean
}

const STORAGE_NAME = 'mayfly.preferences'
const DEFAULTS: Preferences = { theme: 'system', hasShortcuts: true, hasNotifications: false }

/** The settings of the reader in this browser. */
export const preferences = signal<Preferences>(read())

/** Changes some of the preferences and keeps them. */
export function setPreferences(changes: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...changes }
  localStorage.setItem(STORAGE_NAME, JSON.stringify(preferences.value))
}

/** Keeps the colours of the page as chosen. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = preferences.value.theme
  })
}

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(STORAGE_NAME) ?? '{}') }
  } catch {
    return DEFAULTS
  }
}
