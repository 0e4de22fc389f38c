import { measureLives } from './lives.mjs';

/** Measures instances from creation until Ready, and from deletion until nothing of them is left. */
export async function instances(session) {
  await measureLives(session, {
    scenario: 'instances',
    kind: 'VirtualClusterInstance',
    noun: 'instance',
    article: 'an',
  });
}
