import { type Attack, configMaps, repeat } from './attack.ts';

/** These attacks run last, because they exhaust the rate limit of the key for seconds. */
export const floodAttacks: readonly Attack[] = [
  {
    name: '3,000 small reads from 40 connections',
    run: repeat({ times: 3_000, atOnce: 40 }, ({ inside }) => ({
      method: 'GET',
      path: `${inside}${configMaps}/copied`,
    })),
    expected: [{ status: 200 }, { status: 429 }],
  },
];
