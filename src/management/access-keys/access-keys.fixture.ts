import type { JsonObject } from '@flotilla/json';
import { openManagementTestEnv } from '../management.fixture.ts';

/** Access key values that a client supplies instead of letting the server generate them. */
export const ownKeyValue = 'a-key-of-my-own.0123456789~abcdefgh';
export const otherKeyValue = 'another-key-of-mine.0123456789~ABCD';

/** Opens a management API with the users anna and bob. anna is a member of the team red. */
export async function openAccessKeyTestEnv(settings = {}) {
  const management = await openManagementTestEnv(settings);
  await management.create('users', 'anna', {});
  await management.create('users', 'bob', {});
  await management.create('teams', 'red', { users: ['anna'], groups: ['reds'] });
  const make = (spec: JsonObject, context = management.as('anna'), name = 'k') =>
    management.create('ownedaccesskeys', name, spec, context);
  const stored = (name = 'k') => {
    const found = management.state.accessKey(name);
    if (found === undefined) throw new Error(`no key ${name}`);
    return found;
  };
  return { ...management, make, stored };
}
