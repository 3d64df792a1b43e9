import { isHelpShown, SHORTCUTS } from '../shortcuts.ts'
import { Dialog } from './dialog.tsx'

/** The list of keys. */
export function ShortcutsHelp() {
  if (!isHelpShown.value) return null
  return (
    <Dialog
      title="Keyboard"
      onClose={() => {
        isHelpShown.value = false
      }}
    >
      <dl class="shortcuts">
        {SHORTCUTS.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (key === '–' ? '–' : <kbd key={key}>{key}</kbd>))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">You can turn the shortcuts off in the settings.</p>
    </Dialog>
  )
}
