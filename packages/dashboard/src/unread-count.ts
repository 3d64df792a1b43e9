import { effect } from '@preact/signals'
import { unreadTotal } from './state/inboxes.ts'

const SIZE_PX = 32

/** Shows the number of unread messages in the title and as a dot on the icon of the tab. */
export function showUnreadCount(): void {
  const plain = drawIcon(false)
  const dotted = drawIcon(true)
  effect(() => {
    const unread = unreadTotal.value
    document.title = unread === 0 ? 'Mayfly' : `(${unread}) Mayfly`
    document.querySelector('link[rel=icon]')?.setAttribute('href', unread === 0 ? plain : dotted)
  })
}

/** A mayfly's wings on its ground; the dot says that something is unread. */
function drawIcon(hasDot: boolean): string {
  const canvas = document.createElement('canvas')
  canvas.width = SIZE_PX
  canvas.height = SIZE_PX
  const pen = canvas.getContext('2d')
  if (pen === null) return 'data:,'
  pen.fillStyle = '#0f766e'
  pen.beginPath()
  pen.roundRect(0, 0, SIZE_PX, SIZE_PX, 8)
  pen.fill()
  pen.strokeStyle = '#fff'
  pen.lineWidth = 2.2
  pen.lineCap = 'round'
  pen.lineJoin = 'round'
  pen.translate(4, 4)
  pen.stroke(
    new Path2D(
      'M12 10C9 8 5 6 3.3 2.8c4.6.3 7.9 3.3 8.7 6.7.8-3.4 4.1-6.4 8.7-6.7C19 6 15 8 12 10v11',
    ),
  )
  if (!hasDot) return canvas.toDataURL()
  pen.fillStyle = '#f59e0b'
  pen.beginPath()
  pen.arc(21, 3, 6.5, 0, 2 * Math.PI)
  pen.fill()
  return canvas.toDataURL()
}
