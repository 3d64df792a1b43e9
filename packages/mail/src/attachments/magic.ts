/** Bytes at the beginning of a file that are read to detect its type. */
export const HEAD_BYTES = 4 * 1024

/** The EICAR test file, in two halves so that virus scanners do not detect this source file. */
const EICAR = `${'X5O!P%@AP[4\\PZX54(P^)7CC)7}'}${'$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'}`

/** Longest EICAR file: the 68 characters may be followed by white space up to this length. */
const EICAR_FILE_MAX = 128

/** Whether the file is the EICAR test file as defined by EICAR. */
export function isEicar(bytes: Buffer): boolean {
  if (bytes.length < EICAR.length || bytes.length > EICAR_FILE_MAX) return false
  const text = bytes.toString('latin1')
  return text.startsWith(EICAR) && /^[ \t\r\n\x1a]*$/.test(text.slice(EICAR.length))
}

/** The kind of program or script, by the first bytes of a file; null for other files. */
export function programKind(head: Buffer): string | null {
  if (head.length < 4) return null
  const binary = binaryKind(head)
  if (binary !== null) return binary
  const text = head.toString('latin1', 0, Math.min(head.length, HEAD_BYTES))
  return scriptKind(text)
}

function binaryKind(head: Buffer): string | null {
  // A text may begin with these two letters too; the header of a program contains zeros.
  const isDos = head.toString('latin1', 0, 2) === 'MZ' && head.subarray(0, 64).includes(0)
  if (isDos) return 'a Windows program'
  switch (head.readUInt32BE(0)) {
    case 0x7f454c46:
      return 'a Linux program'
    case 0xfeedface:
    case 0xfeedfacf:
    case 0xcefaedfe:
    case 0xcffaedfe:
      return 'a macOS program'
    case 0xcafebabe:
      return 'a Java or macOS program'
    case 0x6465780a:
      return 'an Android program'
    case 0x4c000000:
      return head.length >= 8 && head.readUInt32BE(4) === 0x01140200 ? 'a Windows shortcut' : null
    case 0xedabeedb:
      return 'a software package'
    case 0xd0cf11e0:
      return oleKind(head)
    case 0x49545346:
      return 'a Windows help file'
    default:
      return null
  }
}

/** Class identifier of an installer, in the first entry of an OLE directory. */
const INSTALLER_CLASS = '84100c0000000000c000000000000046'

/** Documents and installers are both OLE files; their directory tells them apart. */
function oleKind(file: Buffer): string | null {
  if (file.length < 512) return null
  const sectorBytes = 1 << Math.min(file.readUInt16LE(30), 12)
  const root = (file.readUInt32LE(48) + 1) * sectorBytes
  const classId = file.subarray(root + 80, root + 96).toString('hex')
  if (classId === INSTALLER_CLASS) return 'a Windows installer'
  return file.includes(VBA_PROJECT) ? 'a document with macros' : null
}

const VBA_PROJECT = Buffer.from('_VBA_PROJECT', 'utf16le')

function scriptKind(text: string): string | null {
  const start = text.replace(/^(?:\xef\xbb\xbf)?\s*/, '')
  if (/^#![ \t]*\//.test(start)) return 'a script'
  if (/^@echo\s+o(?:n|ff)\b/i.test(start)) return 'a batch script'
  if (/^<\?php\b/i.test(start)) return 'a script'
  if (/<hta:application\b/i.test(text)) return 'an HTML application'
  if (/^\[InternetShortcut\]/i.test(start)) return 'a Windows shortcut'
  return start.startsWith('!<arch>\ndebian-binary') ? 'a software package' : null
}
