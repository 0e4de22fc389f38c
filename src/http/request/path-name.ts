import { badRequest } from '../../api/status.ts';

/** The reason why this cannot be a name in a path, in Kubernetes' words; `undefined` if it can. */
export function pathSegmentError(name: string): string | undefined {
  if (name === '.') return "may not be '.'";
  if (name === '..') return "may not be '..'";
  // A fast path: every request runs this, and hardly any name contains one of these characters.
  if (!name.includes('/') && !name.includes('%')) return undefined;
  const faults = ['/', '%'].filter((character) => name.includes(character));
  return faults.map((character) => `may not contain '${character}'`).join(', ');
}

/** Throws 400 if the name in the path is invalid for every kind (rule REQ-24). */
export function checkPathName(name: string): void {
  const fault = pathSegmentError(name);
  if (fault !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${fault}`);
}
