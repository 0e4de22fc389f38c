import type { SeededRandom } from '../bad-days/seeded-random.ts';
import { anyJson, jsonForms } from './hostile-json.ts';

const maxOperations = 10_000;

function operations(bytes: number, each: (index: number) => string): string {
  const count = Math.min(maxOperations, Math.floor(bytes / each(0).length));
  return `[${Array.from({ length: count }, (_, index) => each(index)).join(',')}]`;
}

/** Returns a JSON patch or merge patch of about the given size. */
export function hostilePatch(random: SeededRandom, bytes: number): { readonly type: string; readonly body: string } {
  const type = 'application/json-patch+json';
  const start = '{"op":"add","path":"/spec/free","value":{"a":[1,2,3]}}';
  const member = random.pick(['set', 'list', 'map', 'patterns', 'free/a']);
  switch (random.below(9)) {
    case 0:
      return { type, body: operations(bytes, () => `{"op":"test","path":"/spec/${member}","value":{}}`) };
    case 1:
      return { type, body: operations(bytes, () => `{"op":"add","path":"/spec/${member}/0","value":"x"}`) };
    case 2: {
      const move = `{"op":"move","from":"/spec/${member}/0","path":"/spec/${member}/-"}`;
      return { type, body: operations(bytes, () => move) };
    }
    case 3: {
      const copy = operations(bytes, () => '{"op":"copy","from":"/spec/free/a","path":"/spec/free/a/-"}');
      return { type, body: `[${start},${copy.slice(1)}` };
    }
    case 4: {
      const copy = operations(bytes, (index) => `{"op":"copy","from":"/spec","path":"/spec/free/c${index}"}`);
      return { type, body: `[${start},${copy.slice(1)}` };
    }
    case 5: {
      const path = '/a'.repeat(900);
      return { type, body: operations(bytes, () => `{"op":"add","path":"/spec/free${path}","value":1}`) };
    }
    case 6:
      return { type, body: `[{"op":"add","path":"/spec/free","value":{"a":${anyJson(random, bytes)}}}]` };
    case 7:
      return {
        type: 'application/merge-patch+json',
        body: `{"spec":{"free":${jsonForms.manyMembers(random, bytes)}}}`,
      };
    default:
      return { type: 'application/merge-patch+json', body: anyJson(random, bytes) };
  }
}
