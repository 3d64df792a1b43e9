/** Extensions of programs, scripts, installers, and documents with macros. */
const EXTENSIONS: ReadonlySet<string> = new Set(
  `ade adp apk app appimage appref-ms appx appxbundle bash bat cab chm class cmd com command cpl csh
  deb dex diagcab dll dmg docm dotm drv elf exe fish gadget hlp hta inf ins ipa isp jar jnlp js
  jscript jse ksh lnk mde mjs msc msh msh1 msh1xml msh2 msh2xml mshxml msi msix msixbundle msp mst
  nsh ocx php php5 phtml pif pkg pl potm ppam ppsm pptm ps1 ps1xml ps2 ps2xml psc1 psc2 psd1 psm1 py
  pyc pyo pyw pyz rb reg rpm run scf scr sct sh shb shs sldm so sys tcsh url vb vba vbe vbs vbscript
  vxd website ws wsc wsf wsh xbap xlam xll xlsm xltm zsh`.split(/\s+/),
)

/** Media types of programs and scripts, without `x-`. */
const MEDIA_TYPES: ReadonlySet<string> = new Set(
  `application/bat application/csh application/dosexec application/ecmascript application/elf
  application/exe application/executable application/hta application/httpd-php
  application/java-applet application/java-archive application/java-jnlp-file application/java-vm
  application/javascript application/mach-binary application/ms-installer application/ms-shortcut
  application/msdos-program application/msdownload application/msi application/perl
  application/php application/powershell application/python application/python-code
  application/ruby application/sh application/sharedlib application/shellscript
  application/vbscript application/vnd.android.package-archive
  application/vnd.apple.installer+xml application/vnd.debian.binary-package
  application/vnd.microsoft.portable-executable application/winexe application/rpm
  application/redhat-package-manager application/apple-diskimage
  application/vnd.ms-word.document.macroenabled.12 application/vnd.ms-excel.sheet.macroenabled.12
  application/vnd.ms-powerpoint.presentation.macroenabled.12 application/vnd.ms-htmlhelp
  text/csh text/ecmascript text/javascript text/jscript text/perl text/php text/powershell
  text/python text/ruby text/sh text/shellscript text/vbscript text/vbs`.split(/\s+/),
)

/** Characters that change the text direction: `fdp.exe` is displayed as `exe.pdf`. */
const DIRECTION_MARKS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g

/** Invisible characters, which Windows or a reader ignores. */
const INVISIBLE = /[\0-\x1f\x7f\u00ad\u200b-\u200d\u2060\ufeff]/g

/** Characters at the end of a name that are read; an extension is among the last ten. */
const NAME_CHARS_MAX = 255

/** The dangerous extension of a file name, even if disguised; null if it has none. */
export function dangerousExtension(filename: string): string | null {
  const name = filename
    .slice(-NAME_CHARS_MAX)
    .replace(DIRECTION_MARKS, '')
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .toLowerCase()
    // Windows ignores these at the end of a name, and takes the text after a colon as a stream.
    .replace(/::?\$?[a-z]*$/, '')
    .replace(/[\s.]+$/, '')
  const extension = name.slice(name.lastIndexOf('.') + 1)
  return name.includes('.') && EXTENSIONS.has(extension) ? extension : null
}

/** Whether a name contains characters that reverse the text direction. */
export function isNameReversed(filename: string): boolean {
  return /[\u202d\u202e]/.test(filename)
}

/** Whether a declared media type is that of a program or script. */
export function isDangerousType(contentType: string): boolean {
  return MEDIA_TYPES.has(contentType.toLowerCase().replace('/x-', '/').trim())
}
