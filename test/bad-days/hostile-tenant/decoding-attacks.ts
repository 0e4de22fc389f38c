import { type Attack, configMaps, numbered, repeat } from './attack.ts';
import { aliasBomb } from './template-attacks.ts';

/** Returns JSON in which a deeply nested object repeats one key. */
function deepRepeats(levels: number, repeats: number): string {
  const repeated = `{${Array(repeats).fill('"a":1').join(',')}}`;
  return `{"metadata":{"name":"deep"},"data":${'{"a":'.repeat(levels)}${repeated}${'}'.repeat(levels)}}`;
}

const deep = deepRepeats(9_900, 50_000);
const flat = `{"metadata":{"name":"flat"},"data":{${Array(50_000).fill('"a":"1"').join(',')}}}`;
const keys = (count: number) => Object.fromEntries(numbered(count, (number) => [`key-${number}`, 'v']));
const [tooManyKeys, manyKeys] = [keys(50_000), keys(9_900)];

export const decodingAttacks: readonly Attack[] = [
  {
    name: 'JSON nested 9,900 deep with 50,000 repeats of a key',
    run: repeat({ times: 8, atOnce: 4 }, ({ inside }) => ({
      method: 'POST',
      path: `${inside}${configMaps}?fieldValidation=Strict`,
      body: deep,
    })),
    expected: [{ status: 400 }],
  },
  {
    name: 'the same JSON for the management API',
    run: repeat({ times: 8, atOnce: 4 }, ({ instances }) => ({ method: 'POST', path: instances, body: deep })),
    expected: [{ status: 400 }],
  },
  {
    name: 'the same JSON as a login without an access key',
    run: repeat({ times: 64, atOnce: 32 }, (_, number) => ({
      method: 'POST',
      path: '/auth/password/login',
      body: number % 2 === 0 ? deep : deepRepeats(900, 1_800),
      anonymous: true,
    })),
    expected: [{ status: 413 }, { status: 400 }, { status: 429 }],
  },
  {
    name: 'an object with 50,000 repeats of a key',
    run: repeat({ times: 8, atOnce: 4 }, ({ inside }) => ({
      method: 'POST',
      path: `${inside}${configMaps}?fieldValidation=Strict`,
      body: flat,
    })),
    expected: [{ status: 400, text: /duplicate field/ }],
  },
  {
    name: 'a YAML object with an alias bomb',
    run: repeat({ times: 32, atOnce: 8 }, ({ inside }) => ({
      method: 'POST',
      path: `${inside}${configMaps}`,
      contentType: 'application/yaml',
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n${aliasBomb}\n`,
    })),
    expected: [{ status: 400 }],
  },
  {
    name: 'ConfigMaps with 50,000 keys',
    run: repeat({ times: 8, atOnce: 4 }, ({ inside }) => ({
      method: 'POST',
      path: `${inside}${configMaps}`,
      body: { metadata: { name: 'keys' }, data: tooManyKeys },
    })),
    expected: [{ status: 413, text: /members/ }],
  },
  {
    name: 'ConfigMaps with 9,900 keys',
    run: repeat({ times: 8, atOnce: 4 }, ({ inside }, number) => ({
      method: 'POST',
      path: `${inside}${configMaps}`,
      body: { metadata: { name: `keys-${number}` }, data: manyKeys },
    })),
    expected: [{ status: 201 }],
  },
];
