import { badRequest } from '../../api/status.ts';

/** Returns Kubernetes' message about a path segment that cannot be an object name; `undefined` if it can be one. */
export function pathSegmentError(name: string): string | undefined {
  if (name === '.') return "may not be '.'";
  if (name === '..') return "may not be '..'";
  // This fast check is enough for nearly all requests, because hardly any name contains one of these characters.
  if (!name.includes('/') && !name.includes('%')) return undefined;
  const faults = ['/', '%'].filter((character) => name.includes(character));
  return faults.map((character) => `may not contain '${character}'`).join(', ');
}

/** Throws 400 if the object name in the path is invalid for every kind (rule REQ-24). */
export function checkPathName(name: string): void {
  const fault = pathSegmentError(name);
  if (fault !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${fault}`);
}
