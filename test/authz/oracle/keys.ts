import { type Row, rows } from './row.ts';

/** Access keys, tokens and the caller's identity: completions §5, §6, §7. */
export const keyRows: readonly Row[] = [
  ...rows('accesskeys', 'list watch', 'all', ['admin', 'auditor']),
  ...rows('accesskeys', 'get', 'one', ['admin', 'auditor']),
  ...rows('accesskeys', 'update patch delete', 'one', ['admin']),
  ...rows('accesskeys/status', 'get', 'one', ['admin', 'auditor']),
  ...rows('accesskeys/status', 'update patch', 'one', ['admin']),

  ...rows('ownedaccesskeys', 'list watch create', 'all', ['everybody']),
  // A review does not reveal the owner of a key, because even the existence of the key is private.
  ...rows('ownedaccesskeys', 'get update patch delete', 'one', ['key holder'], { only: 'request' }),
  ...rows('ownedaccesskeys/status', 'get', 'one', ['key holder'], { only: 'request' }),

  ...rows('directclusterendpointtokens', 'create', 'all', ['everybody']),
  ...rows('selves', 'create', 'all', ['everybody']),
];
