/**
 * A semantic version of a template. Instances request an exact version or a pattern with wildcards (`1.x.x`, `1.2.x`,
 * `1`), and get the newest version that matches.
 */
interface SemanticVersion {
  readonly numbers: readonly number[];
  readonly prerelease: readonly string[];
}

const semantic =
  /^v?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;
const wildcard = /^v?(0|[1-9]\d{0,8}|[xX*])(?:\.(0|[1-9]\d{0,8}|[xX*]))?(?:\.(0|[1-9]\d{0,8}|[xX*]))?$/;

function parse(text: string): SemanticVersion | undefined {
  const match = semantic.exec(text);
  if (match === null) return undefined;
  return { numbers: match.slice(1, 4).map(Number), prerelease: match[4]?.split('.') ?? [] };
}

export function isTemplateVersion(text: string): boolean {
  return semantic.test(text);
}

/** True if an instance can request this version: it is empty, an exact version, or a pattern with wildcards. */
export function isVersionPattern(text: string): boolean {
  return text === '' || semantic.test(text) || wildcard.test(text);
}

function compareIdentifiers(a: string, b: string): number {
  const numeric = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numeric[0] && numeric[1]) return Number(a) - Number(b);
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares semantic versions for sorting, oldest first. Invalid versions sort before all others. */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  for (let index = 0; index < 3; index++) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A release sorts after its pre-releases: 1.0.0 after 1.0.0-rc.1.
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return right.prerelease.length - left.prerelease.length;
  }
  for (const [index, identifier] of left.prerelease.entries()) {
    const other = right.prerelease[index];
    if (other === undefined) return 1;
    const difference = compareIdentifiers(identifier, other);
    if (difference !== 0) return difference;
  }
  return left.prerelease.length - right.prerelease.length;
}

function matches(version: string, pattern: string): boolean {
  if (pattern === version) return true;
  const parsed = parse(version);
  if (parsed === undefined) return false;
  if (semantic.test(pattern)) return compareVersions(version, pattern) === 0;
  const parts = wildcard.exec(pattern)?.slice(1);
  // Patterns with wildcards never match pre-releases. Instances have to request a pre-release by its exact version.
  if (parts === undefined || parsed.prerelease.length > 0) return false;
  return parts.every(
    (part, index) => part === undefined || /^[xX*]$/.test(part) || Number(part) === parsed.numbers[index],
  );
}

/**
 * Returns the newest version that matches the pattern. `undefined` if no version matches. The empty pattern selects the
 * newest release, or the newest pre-release if there is no release.
 */
export function newestVersion(versions: readonly string[], pattern: string): string | undefined {
  const fitting = versions.filter((version) => matches(version, pattern === '' ? 'x' : pattern));
  const candidates = pattern === '' && fitting.length === 0 ? versions : fitting;
  let newest: string | undefined;
  for (const version of candidates) {
    if (newest === undefined || compareVersions(version, newest) >= 0) newest = version;
  }
  return newest;
}
