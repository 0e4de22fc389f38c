import { dump } from 'js-yaml';
import { expect, it } from 'vitest';
import type { VirtualClusterInstanceKubeConfig } from '../../../../src/api/management/v1/subresources/virtual-cluster-instance-kube-config.ts';
import { readKubeconfig } from './new-kubeconfig.ts';

function answer(token: string): VirtualClusterInstanceKubeConfig {
  const kubeConfig = dump({ apiVersion: 'v1', kind: 'Config', users: [{ name: 'demo', user: { token } }] });
  return { status: { kubeConfig } };
}

function tokenWith(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'ES256' }), part(claims), 'c2ln'].join('.');
}

it('the expiration of a kubeconfig is that of its token', () => {
  expect(readKubeconfig(answer(tokenWith({ exp: 1_800_000_000 }))).expiresAt).toBe(1_800_000_000_000);
});

it('long tokens on a separate YAML line are read', () => {
  const long = tokenWith({ exp: 1_800_000_000, scopes: 'ä'.repeat(900) });
  expect(readKubeconfig(answer(long)).expiresAt).toBe(1_800_000_000_000);
});

it('the expiration of other tokens is undefined', () => {
  for (const token of ['flk_abc', 'a.b.c', '']) expect(readKubeconfig(answer(token)).expiresAt).toBeUndefined();
  expect(readKubeconfig(answer(tokenWith({}))).expiresAt).toBeUndefined();
});
