import { dump } from 'js-yaml';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/meta.ts';
import { kubeconfigIn } from './kubeconfig-answer.ts';

function answer(token: string): KubeObject {
  const kubeConfig = dump({ apiVersion: 'v1', kind: 'Config', users: [{ name: 'demo', user: { token } }] });
  return { apiVersion: 'v1', kind: 'Answer', metadata: {}, status: { kubeConfig } };
}

function tokenWith(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'ES256' }), part(claims), 'c2ln'].join('.');
}

it('says when a kubeconfig ends, as its token has it', () => {
  expect(kubeconfigIn(answer(tokenWith({ exp: 1_800_000_000 }))).ends).toBe(1_800_000_000_000);
});

it('reads long tokens too, which YAML may put on a line of their own', () => {
  const long = tokenWith({ exp: 1_800_000_000, scopes: 'ä'.repeat(900) });
  expect(kubeconfigIn(answer(long)).ends).toBe(1_800_000_000_000);
});

it('says nothing of the end where the token is of another kind', () => {
  for (const token of ['flk_abc', 'a.b.c', '']) expect(kubeconfigIn(answer(token)).ends).toBeUndefined();
  expect(kubeconfigIn(answer(tokenWith({}))).ends).toBeUndefined();
});
