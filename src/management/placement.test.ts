import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostNamespaceFor, virtualClusterNameFor } from './placement.ts';

const label = (max: number) =>
  fc.stringMatching(new RegExp(`^[a-z0-9]([-a-z0-9]{0,${max - 2}}[a-z0-9])?$`)).filter((name) => name.length <= max);
const isLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

describe('names on a host (completions §3)', () => {
  it('are DNS labels within their limits, whatever the project and the instance are called', () => {
    fc.assert(
      fc.property(label(52), label(63), (project, instance) => {
        const namespace = hostNamespaceFor(project, instance);
        expect(namespace).toMatch(isLabel);
        expect(namespace.length).toBeLessThanOrEqual(63);
        const name = virtualClusterNameFor(project, instance);
        expect(name).toMatch(isLabel);
        expect(name.length).toBeLessThanOrEqual(53);
        if (instance.length <= 53) expect(name).toBe(instance);
      }),
    );
  });

  it('differ for pairs that read alike, and stay the same for the same pair', () => {
    expect(hostNamespaceFor('a-v-b', 'c')).not.toBe(hostNamespaceFor('a', 'b-v-c'));
    expect(hostNamespaceFor('a', 'b')).toBe(hostNamespaceFor('a', 'b'));
    expect(hostNamespaceFor('a', 'b')).toMatch(/^platform-a-v-b-[0-9a-v]{6}$/);
  });
});
