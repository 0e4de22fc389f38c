import { describe } from 'vitest';
import {
  certificateRequestPem,
  encoded,
  wronglySignedPem,
} from '../../../../src/controlplane/kubernetes/certificates/certificate-requests.fixture.ts';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const signerName = 'example.com/signer';
/** The fields with the age and the user, which differ: the two servers authenticate different users. */
const userAndAge = /\.cells\[\d+\]$|\.spec\.(username|uid|groups|extra)/;

/** Compares certificate signing requests. */
export function certificateKinds(pair: Pair): void {
  describe('Certificate signing requests', () => {
    const compared = comparedTests(pair);
    const ignored = { ignoredFields: userAndAge };
    const post = (json: unknown) => pair.send({ method: 'POST', path: requests, json }, ignored);
    const patch = (path: string, change: unknown, type = mergePatch) =>
      pair.send({ method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': type } }, ignored);
    const table = (path: string) => pair.send({ path, headers: { accept: asTable } }, ignored);
    const request = encoded(certificateRequestPem('jane'));
    const spec = { request, signerName, usages: ['client auth'] };
    const condition = (type: string, status = 'True') => ({ type, status, reason: 'Test', message: 'For a test.' });

    compared('are in discovery', async () => {
      await pair.send({ path: '/apis/certificates.k8s.io/v1' });
    });

    compared('have rules and columns', async () => {
      await post({ metadata: { name: 'bare' } });
      await post({ metadata: { name: 'jane' }, spec: { ...spec, username: 'root', groups: ['x'] } });
      await post({ metadata: { name: 'Any_name:1' }, spec: { ...spec, expirationSeconds: 7200 } });
      await table(`${requests}/jane`);
      await table(`${requests}/Any_name:1`);
      await post({
        metadata: { name: 'bad' },
        spec: { request: encoded('x'), signerName: 'x', usages: ['y', 'any', 'any'], expirationSeconds: 1 },
      });
      await post({ metadata: { name: 'legacy' }, spec: { ...spec, signerName: 'kubernetes.io/legacy-unknown' } });
      await post({ metadata: { name: 'forged' }, spec: { ...spec, request: encoded(wronglySignedPem('jane')) } });
      const malformed = '-----BEGIN CERTIFICATE REQUEST-----\nMAMCAQA=\n-----END CERTIFICATE REQUEST-----\n';
      await post({ metadata: { name: 'malformed' }, spec: { ...spec, request: encoded(malformed) } });
      const admins = encoded(certificateRequestPem('jane', ['system:masters']));
      const clientSigner = 'kubernetes.io/kube-apiserver-client';
      await post({ metadata: { name: 'admin' }, spec: { ...spec, request: admins, signerName: clientSigner } });
      await pair.send({ path: `${requests}?fieldSelector=spec.signerName%3Dother` }, ignored);
    });

    compared('keep their spec and their status', async () => {
      await patch(`${requests}/jane`, {
        metadata: { labels: { a: 'b' } },
        spec: { signerName: 'example.com/other' },
        status: { conditions: [condition('Approved')] },
      });
    });

    compared('are approved through a subresource', async () => {
      const approval = `${requests}/jane/approval`;
      await pair.send({ path: approval }, ignored);
      await patch(`${requests}/jane/status`, { status: { conditions: [condition('Approved')] } });
      await patch(approval, { status: { conditions: [condition('Approved', 'False'), condition('')] } });
      await patch(approval, { status: { conditions: [condition('Approved'), condition('Denied')] } });
      await patch(approval, {
        metadata: { labels: { c: 'd' } },
        spec: { signerName: 'example.com/other' },
        status: { conditions: [condition('Approved')], certificate: encoded('x') },
      });
      await patch(approval, { status: { conditions: [] } });
      await table(`${requests}/jane`);
    });

    compared('are signed through their status', async () => {
      const status = `${requests}/jane/status`;
      await patch(status, { status: { certificate: encoded('x') } });
      await patch(status, { status: { conditions: [condition('Approved'), condition('Failed')] } });
      await patch(status, { status: { conditions: [condition('Failed')] } });
      await table(`${requests}/jane`);
    });

    compared('are applied', async () => {
      const body = (more: object) => ({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: 'applied', labels: { a: 'b' } },
        ...more,
      });
      await patch(`${requests}/applied?fieldManager=m`, body({ spec }), applyPatch);
      const status = { conditions: [condition('Denied')] };
      await patch(`${requests}/applied/approval?fieldManager=m`, body({ status }), applyPatch);
      await pair.send({ method: 'DELETE', path: `${requests}/applied` });
    });
  });
}
