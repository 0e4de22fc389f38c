import { measureLives } from './lives.mjs';

/** Instances from their creation until they are Ready, and from their deletion until nothing of them is left. */
export async function instances(session) {
  await measureLives(session, {
    scenario: 'instances',
    kind: 'VirtualClusterInstance',
    noun: 'instance',
    article: 'an',
  });
}
