import { measureLives } from './lives.mjs';

/** Measures spaces from creation until Ready, and from deletion until their namespaces are gone. */
export async function spaces(session) {
  await measureLives(session, { scenario: 'spaces', kind: 'SpaceInstance', noun: 'space', article: 'a' });
}
