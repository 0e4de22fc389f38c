/**
 * Versions of templates: semantic versions as they are given out, and patterns with wildcards (`1.x.x`, `1.2.x`, `1`)
 * as instances ask for them. The newest that fits wins.
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

/** Whether this can be asked for at all: an exact version or one with wildcards. */
export function isVersionPattern(text: string): boolean {
  return text === '' || semantic.test(text) || wildcard.test(text);
}

function compareIdentifiers(a: string, b: string): number {
  const numeric = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numeric[0] && numeric[1]) return Number(a) - Number(b);
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of semantic versions; what is none sorts before everything. */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  for (let index = 0; index < 3; index++) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A release comes after its own pre-releases.
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
  // Wildcards pass over pre-releases: those are taken by name only.
  if (parts === undefined || parsed.prerelease.length > 0) return false;
  return parts.every(
    (part, index) => part === undefined || /^[xX*]$/.test(part) || Number(part) === parsed.numbers[index],
  );
}

/**
 * The version that a pattern means, among those there are; undefined: nothing fits. The empty pattern means the
 * newest release, and the newest pre-release only where there is no release at all.
 */
export function newestVersion(versions: readonly string[], pattern: string): string | undefined {
  const fitting = versions.filter((version) => matches(version, pattern === '' ? 'x' : pattern));
  const candidates = pattern === '' && fitting.length === 0 ? versions : fitting;
  return [...candidates].sort(compareVersions).at(-1);
}
