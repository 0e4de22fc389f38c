import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import { endpointKinds } from './endpoints.ts';

describe('the column Endpoints', () => {
  const column = endpointKinds.flatMap(({ columns }) => columns ?? []).find(({ name }) => name === 'Endpoints');
  const cell = (subsets: unknown[]) => column?.value({ metadata: { name: 'e' }, subsets } as unknown as KubeObject);
  const addresses = (...ips: string[]) => ips.map((ip) => ({ ip }));

  it('shows the first three addresses with their ports, port by port', () => {
    const ports = [{ port: 80 }, { port: 81 }];
    expect(cell([])).toBe('<none>');
    expect(cell([{ addresses: addresses('10.0.0.1', '::1'), ports }])).toBe(
      '10.0.0.1:80,[::1]:80,10.0.0.1:81 + 1 more...',
    );
    expect(cell([{ addresses: addresses('10.0.0.1') }, { addresses: addresses('10.0.0.2'), ports }])).toBe(
      '10.0.0.1,10.0.0.2:80,10.0.0.2:81',
    );
  });

  it('does not need memory for each combination of an address and a port', () => {
    const many = Array.from({ length: 15_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
    const ports = Array.from({ length: 15_000 }, (_, at) => ({ port: at + 1 }));
    expect(cell([{ addresses: addresses(...many), ports }])).toBe(
      '10.0.0.0:1,10.0.0.1:1,10.0.0.2:1 + 224999997 more...',
    );
  });
});
