const HEADER = [
  'Received: from mail.shop.example (mail.shop.example [192.0.2.10])',
  '\tby mx.test.example with ESMTPS id 4F2B81C0; Tue, 3 Mar 2026 10:15:30 +0000',
  'From: =?utf-8?Q?Caf=C3=A9_Shop?= <orders@shop.example>',
  'To: "Doe, Jane" <jane@test.example>',
  'Subject: =?utf-8?B?WW91ciBvcmRlciDigJMgYW5kIGNvZGU=?=',
  'Date: Tue, 3 Mar 2026 10:15:29 +0000',
  'Message-ID: <8d1f0f7e-1c1b@shop.example>',
  'MIME-Version: 1.0',
]

/** A mail with the usual header, from its content type on. */
export function mail(lines: readonly string[]): Buffer {
  return Buffer.from([...HEADER, ...lines, ''].join('\r\n'))
}

/** A mail with 39 KB of HTML, as shops send them. */
export function htmlMail(): Buffer {
  let rows = ''
  for (let item = 0; rows.length < 37_500; item += 1) rows += row(item)
  return mail([
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    '<!DOCTYPE html><html><head><meta charset="utf-8"><title>Order</title><style>',
    'body{margin:0;background:#f4f4f4} .cell{padding:8px} a.button{background:#06c;color:#fff}',
    '@media only screen and (max-width:600px){.cell{display:block!important;width:100%}}',
    '</style></head><body style="background-color:#f4f4f4">',
    '<div style="display:none;max-height:0;overflow:hidden">Your order &zwnj;&nbsp;&zwnj;</div>',
    '<table width="100%"><tr><td align="center"><table width="600">',
    rows,
    '</table></td></tr></table><p>Your code is <b>481516</b></p></body></html>',
  ])
}

function row(item: number): string {
  return `
          <tr>
            <td class="cell item-${item % 7}" style="padding:8px 12px;font-family:Helvetica,Arial,
sans-serif;font-size:14px;line-height:20px;color:#333333;border-bottom:1px solid #eeeeee;">
              <a href="https://shop.example/item/${item}?utm_source=mail&amp;utm_campaign=order"
                style="color:#0066cc;text-decoration:none"><b>Item &#8211; no. ${item}</b></a><br>
              A short line about this item &amp; what it does, in&nbsp;stock.
            </td>
            <td align="right" style="padding:8px 12px;font-family:Helvetica,Arial,sans-serif;
font-size:14px;color:#333333;"><span style="white-space:nowrap">€ ${item}.99</span></td>
          </tr>`.replaceAll('\n', '\r\n')
}
