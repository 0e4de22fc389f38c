import { expect, it } from 'vitest';
import { managerName } from './manager-name.ts';

it.each<[string, string | undefined, string]>([
  ['mine', 'kubectl/v1', 'mine'],
  ['', 'kubectl/v1.30 (linux/amd64)', 'kubectl'],
  ['', 'my tool', 'my tool'],
  ['', 'a\u0000b\u200bc\n/1', 'abc'],
  ['', '/1', 'unknown'],
  ['', '', 'unknown'],
  ['', undefined, 'unknown'],
  ['', 'x'.repeat(200), 'x'.repeat(128)],
  ['', 'é'.repeat(100), 'é'.repeat(64)],
])('fieldManager %j and User-Agent %j give the manager %j (CREATE-08)', (fieldManager, userAgent, name) => {
  expect(managerName(fieldManager, userAgent)).toBe(name);
});
