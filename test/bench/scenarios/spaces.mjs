import { measureLives } from './lives.mjs';

/** Spaces from their creation until they are Ready, and from their deletion until their namespaces are gone. */
export async function spaces(session) {
  await measureLives(session, { scenario: 'spaces', kind: 'SpaceInstance', noun: 'space', article: 'a' });
}
