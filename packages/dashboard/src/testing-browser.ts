// Parts of a browser that the modules of the page need, for tests in Node: an address, a storage, a
// document that is looked at. Imported before them.

const define = (name: string, value: unknown) =>
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })

const location = new URL('http://mayfly.test/')

function createStorage() {
  const values = new Map<string, string>()
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
    clear: () => values.clear(),
  }
}

function go(_state: unknown, _title: string, address: string): void {
  location.hash = new URL(address, location).hash
}

define('location', location)
define('history', { pushState: go, replaceState: go })
define('sessionStorage', createStorage())
define('localStorage', createStorage())
define('document', { hidden: false, addEventListener: () => {} })
define('addEventListener', () => {})
define('requestAnimationFrame', setImmediate)
