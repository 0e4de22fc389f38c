import { expect, it } from 'vitest';
import { imageTag } from './image-tag.ts';

it.each([
  ['web', 'latest'],
  ['web:latest', 'latest'],
  ['web:1.2-a_b', '1.2-a_b'],
  ['localhost/web', 'latest'],
  ['registry.example.com:5000/team/web', 'latest'],
  ['registry.example.com:5000/team/web:2', '2'],
  ['web@sha256:0123', ''],
  ['web:3@sha256:0123', '3'],
  ['', ''],
  ['team/Web', ''],
  ['web:', ''],
])('the tag of %j is %j', (image, tag) => {
  expect(imageTag(image)).toBe(tag);
});
