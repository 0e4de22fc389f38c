import { describe, expect, it } from 'vitest';
import { YamlSyntaxError, yamlPositions } from './yaml-positions.ts';

const text = `metadata:
  labels:
    a.b/c: "1"
spec:
  parameters:
  - variable: x
    type: string
  objects: |
    one
    two
`;
const word = (path: string) => {
  const place = yamlPositions(text).find(path);
  return place === undefined ? undefined : text.slice(place.at.from, place.at.to);
};

describe('the position of a field', () => {
  it('is that of its name, found by its path', () => {
    expect(word('spec.parameters[0].type')).toBe('type');
    expect(word('metadata.labels[a.b/c]')).toBe('a.b/c');
    expect(word('spec[objects]')).toBe('objects');
  });

  it('is that of its nearest parent if the field is absent', () => {
    expect(word('spec.parameters[0].min')).toBe('v');
    expect(word('spec.parameters[7].min')).toBe('parameters');
    expect(word('spec.nothing.at.all')).toBe('spec');
    expect(word('nothing')).toBeUndefined();
  });

  it('includes the start of a block scalar', () => {
    const { firstLine = 0 } = yamlPositions(text).find('spec.objects') ?? {};
    expect(text.slice(firstLine)).toBe('    one\n    two\n');
  });

  it('comes with a document count, and invalid YAML throws with an offset', () => {
    expect(yamlPositions('a: 1\n---\nb: 2\n').documents).toBe(2);
    expect(() => yamlPositions('a: b: c')).toThrow(YamlSyntaxError);
  });
});
