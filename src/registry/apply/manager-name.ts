/** The longest name that an entry of managedFields may carry, in bytes. */
const maxBytes = 128;

/**
 * The manager that a request writes as (rule CREATE-08): what it asked to be called, else the program's name from its
 * User-Agent, without unprintable characters and cut at 128 bytes, else `unknown`.
 */
export function managerName(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  // Asked for with every write, of which many come from one program.
  if (userAgent !== latest.userAgent) latest = { userAgent, name: programName(userAgent ?? '') };
  return latest.name;
}

let latest: { readonly userAgent: string | undefined; readonly name: string } = { userAgent: '', name: 'unknown' };

function programName(userAgent: string): string {
  const program = userAgent.split('/', 1)[0] ?? '';
  let name = '';
  let bytes = 0;
  for (const character of program) {
    if (!isPrintable(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    name += character;
  }
  return name === '' ? 'unknown' : name;
}

/** Letters, marks, numbers, punctuation, symbols and the plain space: what Go calls printable. */
function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}
