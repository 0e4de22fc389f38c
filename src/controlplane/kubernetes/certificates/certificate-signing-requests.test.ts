import { type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../registry/context.ts';
import { pemBlocks } from '../../pem.ts';
import { Kinds, refusal } from '../kubernetes-kinds.fixture.ts';
import { certificateRequestPem, encoded, wronglySignedPem } from './certificate-requests.fixture.ts';

const key = 'certificatesigningrequests.certificates.k8s.io';
const request = encoded(certificateRequestPem('jane'));
const spec = { request, signerName: 'example.com/signer', usages: ['client auth'] };
const approved = { type: 'Approved', status: 'True' };
const writing = { dryRun: false, fieldManager: 'test', fieldValidation: 'Strict', force: false } as const;

let kinds: Kinds;
beforeEach(async () => {
  kinds = await Kinds.open();
});

/** Writes the status of a request through a subresource, as `kubectl certificate approve` does. */
async function write(
  name: string,
  subresource: 'approval' | 'status',
  status: JsonObject,
  context: RequestContext = kinds.context(),
) {
  const store = kinds.store(key);
  const current = store.peek('', name)?.object;
  const next = kinds.decoded(key, { ...(current as JsonObject | undefined), status });
  return (await store.status?.update(context, name, next, { ...writing, subresource }))?.object;
}

describe('certificate signing requests', () => {
  it('have the user of the request, whatever the client sends', async () => {
    const object = await kinds.create(key, 'one', { spec: { ...spec, username: 'root', groups: ['system:masters'] } });
    expect(object.spec).toEqual({ ...spec, username: 'jane' });
    expect(objectAt(object as JsonValue, 'status')).toEqual({});
  });

  it('must be signed with their own key', async () => {
    const forged = { ...spec, request: encoded(wronglySignedPem('jane')) };
    expect(await refusal(kinds.create(key, 'one', { spec: forged }))).toContain('x509: ECDSA verification failure');
  });

  it.each([
    ['', 'PEM block type must be CERTIFICATE REQUEST'],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'PEM block type must be CERTIFICATE REQUEST'],
    ['-----BEGIN CERTIFICATE REQUEST-----\nMAMCAQA=\n-----END CERTIFICATE REQUEST-----\n', 'asn1: syntax error'],
    ['-----BEGIN CERTIFICATE REQUEST-----\nMIT/////\n-----END CERTIFICATE REQUEST-----\n', 'asn1: syntax error'],
  ])('must contain a request for a certificate (%j)', async (text, message) => {
    expect(await refusal(kinds.create(key, 'one', { spec: { ...spec, request: encoded(text) } }))).toContain(message);
  });

  it('cannot ask for client certificates of administrators', async () => {
    const admin = encoded(certificateRequestPem('jane', ['other', 'system:masters']));
    const signerName = 'kubernetes.io/kube-apiserver-client';
    expect(await refusal(kinds.create(key, 'one', { spec: { ...spec, signerName, request: admin } }))).toContain(
      'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
    await kinds.create(key, 'two', { spec: { ...spec, request: admin } });
  });

  it('keep their spec', async () => {
    const object = await kinds.create(key, 'one', { spec });
    const updated = await kinds.update(key, object, { spec: { ...spec, signerName: 'example.com/other' } });
    expect(textAt(updated as JsonValue, 'spec', 'signerName')).toBe('example.com/signer');
  });

  it('are approved only through the subresource approval, which does not write the certificate', async () => {
    await kinds.create(key, 'one', { spec });
    expect(await refusal(write('one', 'status', { conditions: [approved] }))).toContain(
      'updates may not add a condition of type "Approved"',
    );
    const object = await write('one', 'approval', { conditions: [approved], certificate: encoded('x') });
    const [condition] = listAt(object as JsonValue, 'status', 'conditions');
    expect(condition).toMatchObject({ ...approved, lastUpdateTime: expect.any(String) });
    expect(textAt(object as JsonValue, 'status', 'certificate')).toBe('');
    expect(await refusal(write('one', 'approval', { conditions: [] }))).toContain('updates may not remove a condition');
  });

  it('need permissions for the signer to be approved and signed', async () => {
    await kinds.create(key, 'one', { spec });
    const asked: unknown[] = [];
    const context: RequestContext = {
      ...kinds.context(),
      may(attributes) {
        asked.push([attributes.verb, attributes.resource, attributes.name]);
        return false;
      },
    };
    expect(await refusal(write('one', 'approval', { conditions: [approved] }, context))).toContain(
      'user not permitted to approve requests with signerName "example.com/signer"',
    );
    expect(asked).toEqual([
      ['approve', 'signers', 'example.com/signer'],
      ['approve', 'signers', 'example.com/*'],
    ]);
    const failed = { conditions: [{ type: 'Failed', status: 'True' }] };
    expect(await refusal(write('one', 'status', failed, context))).toContain('user not permitted to sign requests');
  });

  it('show their state', async () => {
    const object = await kinds.create(key, 'one', { spec: { ...spec, expirationSeconds: 7200 } });
    expect(kinds.cells(key, object)).toEqual(['one', '0s', 'example.com/signer', 'jane', '120m', 'Pending']);
    const decided = await write('one', 'approval', { conditions: [{ type: 'Denied', status: 'True' }] });
    expect(kinds.cells(key, decided ?? object).at(-1)).toBe('Denied');
  });
});

describe('PEM blocks', () => {
  it('are found between other text, and blocks without an end or with other characters are skipped', () => {
    const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
    const text = `text\n${block('A', 'QQ==')}text\n${block('B', '%')}${block('C', 'Key: value\n\nQg==')}-----BEGIN D-----\n`;
    expect([...pemBlocks(text)].map(({ type, hasHeaders, bytes }) => [type, hasHeaders, bytes.toString()])).toEqual([
      ['A', false, 'A'],
      ['C', true, 'B'],
    ]);
  });
});
