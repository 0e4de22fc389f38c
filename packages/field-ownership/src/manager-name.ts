import { byteLength } from '@flotilla/kubernetes-formats';

/** The maximum length of a name that is derived from a User-Agent header, in bytes. */
const maxBytes = 128;

/**
 * Returns the manager name of a request (rule CREATE-08): `fieldManager` if given, otherwise the program name in the
 * User-Agent header without unprintable characters and cut to 128 bytes, otherwise `unknown`.
 */
export function managerName(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  // Cache the last result, because many consecutive writes come from the same program.
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
    bytes += byteLength(character);
    if (bytes > maxBytes) break;
    name += character;
  }
  return name === '' ? 'unknown' : name;
}

/** True if Go counts the character as printable: letters, marks, numbers, punctuation, symbols and the space. */
function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}
