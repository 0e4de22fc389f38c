/** The time zone names that the runtime supports, by their lower-case form. Created on first use. */
let canonicalNames: ReadonlyMap<string, string> | undefined;

/** Returns the reason why a time zone cannot be loaded, worded as in Go; `undefined` if it can be. */
export function timeZoneFault(name: string): string | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  if (name.includes('..') || name.startsWith('/') || name.includes('\\')) return 'time: invalid location name';
  return isKnown(name) ? undefined : `unknown time zone ${name}`;
}

function isKnown(name: string): boolean {
  // The runtime also accepts offsets such as `+01:00`, which are not names.
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

/** All time zone names are shorter. */
const maxLength = 64;
