/**
 * Ports that no request goes to: the "bad ports" of the Fetch standard, which browsers refuse too,
 * and the stores that take commands line by line.
 *
 * A server behind one of them would read our request in another protocol: the body of a webhook is
 * partly written by whoever sent the mail, so that it could hold SMTP, IRC or Redis commands, given
 * in our name. All other ports are allowed: receivers and staging servers sit anywhere.
 */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667,
  6668, 6669, 6679, 6697, 10080, 11211,
])

/** Whether a request may go to this port. */
export function isAllowedPort(port: number): boolean {
  return !REFUSED_PORTS.has(port)
}
