import { badRequest } from '../api/status.ts';

/** Why this cannot be a name in a path, in Kubernetes' words; undefined if it can. */
export function badPathSegment(name: string): string | undefined {
  if (name === '.') return "may not be '.'";
  if (name === '..') return "may not be '..'";
  // Hardly any name has one of them, and every request asks.
  if (!name.includes('/') && !name.includes('%')) return undefined;
  const faults = ['/', '%'].filter((character) => name.includes(character));
  return faults.map((character) => `may not contain '${character}'`).join(', ');
}

/** Throws if the name of the path is none that any object can have (rule REQ-24). */
export function checkPathName(name: string): void {
  const fault = badPathSegment(name);
  if (fault !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${fault}`);
}
