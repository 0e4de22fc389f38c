/** The names that the runtime knows, by their lower-case form. Made on first use. */
let canonicalNames: ReadonlyMap<string, string> | undefined;

/** Returns the reason why a time zone cannot be loaded, worded as in Go; `undefined` if it can be. */
export function timeZoneFault(name: string): string | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  if (name.includes('..') || name.startsWith('/') || name.includes('\\')) return 'time: invalid location name';
  return isKnown(name) ? undefined : `unknown time zone ${name}`;
}

function isKnown(name: string): boolean {
  // The runtime also accepts offsets, which are not names.
  if (!/^[A-Za-z]/.test(name) || name.length > maxLength) return false;
  canonicalNames ??= new Map(Intl.supportedValuesOf('timeZone').map((known) => [known.toLowerCase(), known]));
  // Go compares names exactly. The runtime ignores case, and lists only the current name of each zone.
  const canonical = canonicalNames.get(name.toLowerCase());
  if (canonical !== undefined) return canonical === name;
  if (name === name.toLowerCase()) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** No name of a time zone is longer. */
const maxLength = 64;
