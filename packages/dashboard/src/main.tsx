import { readService } from '@mayfly/client'
import { signal } from '@preact/signals'
import { render } from 'preact'

const version = signal('')

/** The page. */
function App() {
  return <main>Mayfly {version}</main>
}

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
void readService({ baseUrl: location.origin }).then((service) => {
  version.value = service.version
})
