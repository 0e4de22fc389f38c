/** The maximum length of a manager name in managedFields, in bytes. */
const maxBytes = 128;

/**
 * The manager name of a request (rule CREATE-08): the requested name, else the program name from the User-Agent without
 * unprintable characters and truncated to 128 bytes, else `unknown`.
 */
export function managerName(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  // Called for every write, and many writes come from the same program.
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

/** True for letters, marks, numbers, punctuation, symbols and the space: the characters that Go calls printable. */
function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}
