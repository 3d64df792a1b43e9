import type { Terminal } from './terminal.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100

/** Shows that something is waited for and how long it still may take, while a person watches. */
export async function whileWaiting<Result>(
  terminal: Terminal,
  { what, timeoutSeconds }: { readonly what: string; readonly timeoutSeconds: number },
  work: Promise<Result>,
): Promise<Result> {
  if (!terminal.isInteractive) return work
  const deadline = performance.now() + timeoutSeconds * 1000
  let frame = 0
  const draw = () => {
    const leftSeconds = Math.max(0, Math.ceil((deadline - performance.now()) / 1000))
    terminal.err(`\r\x1b[K${FRAMES[frame % FRAMES.length]} ${what}, ${leftSeconds} s left`)
    frame += 1
  }
  draw()
  const timer = setInterval(draw, FRAME_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
    terminal.err('\r\x1b[K')
  }
}
