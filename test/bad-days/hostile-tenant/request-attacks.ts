import { type Attack, configMaps, numbered, repeat } from './attack.ts';

/** The length of the long headers and paths. The server reads headers and paths of up to 64 KiB. */
const maxLength = 60_000;
const filled = (part: string) => part.repeat(Math.floor(maxLength / part.length));

const getWith = (headers: Readonly<Record<string, string>>): Attack['run'] =>
  repeat({ times: 32, atOnce: 16 }, ({ inside, instances }, number) => ({
    method: 'GET',
    path: number % 2 === 0 ? `${inside}${configMaps}?limit=1` : `${instances}?limit=1`,
    headers,
  }));

export const requestAttacks: readonly Attack[] = [
  {
    name: 'an Accept header of 60 kB',
    run: getWith({ accept: `${filled('a/b;c=d,')}application/json` }),
    expected: [{ status: 406 }],
  },
  {
    name: 'headers and queries of 60 kB without an access key',
    run: repeat({ times: 200, atOnce: 16 }, (_, number) => ({
      method: 'GET',
      path: number % 3 === 0 ? `/apis?${filled('a&')}` : '/',
      headers: number % 3 === 0 ? {} : { [number % 3 === 1 ? 'accept-encoding' : 'accept']: filled('a,') },
      anonymous: true,
    })),
    expected: [{ status: 200 }, { status: 400 }, { status: 404 }, { status: 429 }],
  },
  {
    name: 'paths that begin with 60,000 slashes',
    run: repeat({ times: 32, atOnce: 16 }, ({ inside }) => ({
      method: 'GET',
      path: `${filled('/')}${inside}/.well-known/openid-configuration`,
    })),
    expected: [{ status: 200 }, { status: 404 }],
  },
  {
    name: 'the impersonation of 10,000 groups',
    run: getWith({
      'impersonate-user': 'x',
      'impersonate-group': numbered(10_000, (number) => number.toString(36)).join(','),
    }),
    expected: [{ status: 400, text: /impersonate at most \d+/ }, { status: 403 }],
  },
  {
    name: 'label selectors of 60 kB with invalid values',
    run: repeat({ times: 32, atOnce: 16 }, ({ inside }) => ({
      method: 'GET',
      path: `${inside}${configMaps}?labelSelector=a%20in%20(${filled('-,')}-)`,
    })),
    expected: [{ status: 400 }],
  },
  {
    name: 'paths of 60 kB',
    run: repeat({ times: 32, atOnce: 16 }, ({ inside }) => ({
      method: 'GET',
      path: `${inside}${configMaps}/${filled('%2e%2e/')}`,
      anonymous: true,
    })),
    expected: [{ status: 200, text: /^<!doctype html>/ }, { status: 400 }, { status: 401 }, { status: 429 }],
  },
  {
    name: 'invalid bearer tokens of 60 kB',
    run: repeat({ times: 120, atOnce: 16 }, ({ inside, instances }, number) => ({
      method: 'GET',
      path: number % 2 === 0 ? `${inside}${configMaps}?limit=1` : instances,
      headers: { authorization: `Bearer ${falseTokens[number % falseTokens.length]}` },
    })),
    expected: [{ status: 401 }, { status: 429 }],
  },
  {
    name: 'token reviews of 2.9 MB',
    run: repeat({ times: 12, atOnce: 4 }, ({ inside }, number) => ({
      method: 'POST',
      path: `${inside}/apis/authentication.k8s.io/v1/tokenreviews`,
      body: {
        spec: {
          token: (number % 2 === 0 ? '.' : 'a').repeat(2_900_000),
          audiences: numbered(100, (each) => `a${each}`),
        },
      },
    })),
    expected: [{ status: 201 }, { status: 413 }, { status: 422 }],
  },
  {
    name: 'logins of the command line without an access key',
    run: repeat({ times: 200, atOnce: 20 }, (_, number) => ({
      method: 'POST',
      path:
        ['/auth/device/code', '/auth/device/token', '/auth/cli/token', '/auth/token', '/oidc/token'][number % 5] ?? '',
      contentType: 'application/x-www-form-urlencoded',
      body: `client_id=host&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=${'a.'.repeat(number % 2 === 0 ? 10 : 7_000)}`,
      anonymous: true,
    })),
    expected: [
      { status: 200 },
      { status: 400 },
      { status: 401 },
      { status: 404 },
      { status: 413 },
      { status: 415 },
      { status: 429 },
    ],
  },
];

const falseTokens = [
  '.'.repeat(60_000),
  `${'a'.repeat(59_000)}.a.a`,
  `e30.${'e30'.repeat(19_000)}.a`,
  `a${'='.repeat(59_000)}`,
];
