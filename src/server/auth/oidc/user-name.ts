import { randomBytes } from 'node:crypto';
import { adminUser } from '../../../api/naming.ts';

/**
 * The maximum length of a derived name, without an appended number. Longer names would be too long as parts of other
 * names.
 */
const maxLength = 60;

/** Names that no sign-in creates. The first access key of the administrator belongs to the user `admin`. */
const reserved: ReadonlySet<string> = new Set([adminUser]);

/**
 * Derives the name of a new user from the username at the provider: the part before `@`, in lower case, without accents.
 * Each run of other characters becomes `-`.
 */
function userNameFrom(username: string): string {
  const [local = ''] = username.slice(0, 1024).split('@', 1);
  const plain = local.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const name = plain
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/[.-]*\.[.-]*/g, '.')
    .slice(0, maxLength)
    .replace(/^[.-]+|[.-]+$/g, '');
  return name === '' ? 'user' : name;
}

/**
 * Yields the names that a new user can get, in the order of preference: the derived name, then the name with `-2`, `-3`
 * and so on up to `-100`, and then endless names with random numbers. A user could block predictable names by listing
 * nonexistent users in an access list, but cannot guess the random names.
 */
export function* candidateNames(username: string): Generator<string, never> {
  const name = userNameFrom(username);
  if (!reserved.has(name)) yield name;
  for (let number = 2; number <= maxNumber; number++) yield `${name}-${number}`;
  for (;;) yield `${name}-${randomBytes(4).toString('hex')}`;
}

const maxNumber = 100;
