import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import { indexAccessKeys, type ObservedKeys } from './access-key-index.ts';

interface Key {
  readonly object: AccessKey;
  readonly hidden: JsonObject;
}

/** A minimal store for the index, with a function that changes it. */
function keyStore() {
  const keys = new Map<string, Key>();
  const listeners = new Set<Parameters<ObservedKeys['listen']>[0]>();
  let uids = 0;
  const served = (key: Key | undefined) => key && toServedObject({}, key.object);
  const tell = (before: Key | undefined, after: Key | undefined) => {
    for (const listener of listeners) listener({ revision: 1, before: served(before), after: served(after) });
  };
  return {
    keys,
    put(name: string, spec: NonNullable<AccessKey['spec']>, creator: string | undefined): void {
      const before = keys.get(name);
      const uid = before?.object.metadata.uid ?? `uid-${uids++}`;
      const object: AccessKey = {
        apiVersion: 'v1',
        kind: 'AccessKey',
        metadata: { name, uid },
        spec: before?.object.spec ?? spec,
      };
      const hidden = before?.hidden ?? (creator === undefined ? {} : { madeWith: { name: creator, uid: 'm' } });
      const after = { object, hidden };
      keys.set(name, after);
      tell(before, after);
    },
    remove(name: string): void {
      const before = keys.get(name);
      if (before === undefined) return;
      keys.delete(name);
      tell(before, undefined);
    },
    store: {
      peekAll: () => [...keys.values()].map((key) => toServedObject({}, key.object)),
      peekHidden: (_namespace, name) => keys.get(name)?.hidden,
      listen: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    } satisfies ObservedKeys,
  };
}

function creatorOf(key: Key): string {
  return (key.hidden.madeWith as JsonObject | undefined)?.name as string;
}

it('the index knows the owner and the creator of each key after any sequence of changes', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const owner = fc.record({ member: fc.constantFrom('user', 'team', 'subject'), who: fc.constantFrom('x', 'y') });
  const step = fc.record({ remove: fc.boolean(), name, owner, creator: fc.option(name, { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat({ max: 40 }), (steps, opened) => {
      const { keys, store, put, remove } = keyStore();
      const take = (each: (typeof steps)[number]) =>
        each.remove ? remove(each.name) : put(each.name, { [each.owner.member]: each.owner.who }, each.creator);
      steps.slice(0, opened).forEach(take);
      const index = indexAccessKeys(store);
      steps.slice(opened).forEach(take);
      for (const member of ['user', 'team', 'subject'] as const) {
        for (const who of ['x', 'y']) {
          const expected = [...keys].filter(([, key]) => key.object.spec?.[member] === who);
          expect([...index.of(member, who)].sort()).toEqual(expected.map(([each]) => each).sort());
        }
      }
      for (const creator of ['a', 'b', 'c', 'd', 'e']) {
        const expected = new Set<string>();
        for (let size = -1; size < expected.size; ) {
          size = expected.size;
          for (const [each, key] of keys) {
            if (creatorOf(key) === creator || expected.has(creatorOf(key))) expected.add(each);
          }
        }
        expect([...index.createdWith(creator)].sort()).toEqual([...expected].sort());
      }
    }),
  );
});
