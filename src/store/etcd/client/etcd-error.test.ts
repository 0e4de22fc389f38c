import { describe, expect, it } from 'vitest';
import { StoreError } from '../../store-error.ts';
import { EtcdError, grpcStatus, toStoreError } from './etcd-error.ts';

describe('a failed call of etcd', () => {
  it.each([
    ['No connection established. Last error: connect ECONNREFUSED', grpcStatus.unavailable],
    ['etcdserver: no leader', grpcStatus.unavailable],
    ['etcdserver: mvcc: database space exceeded', grpcStatus.resourceExhausted],
    ['etcdserver: too many requests', grpcStatus.resourceExhausted],
    ['etcdserver: request is too large', grpcStatus.invalidArgument],
    ['etcdserver: permission denied', grpcStatus.permissionDenied],
    ['etcdserver: invalid auth token', grpcStatus.unauthenticated],
  ])('certainly had no effect: %s', (details, status) => {
    expect(new EtcdError(status, details).isWithoutEffect).toBe(true);
  });

  it.each([
    ['etcdserver: request timed out', grpcStatus.unavailable],
    ['etcdserver: request timed out, possibly due to connection lost', grpcStatus.unavailable],
    ['etcdserver: leader changed', grpcStatus.unavailable],
    ['Connection dropped', grpcStatus.unavailable],
    ['Deadline exceeded after 1.000s', grpcStatus.deadlineExceeded],
    ['Call cancelled', grpcStatus.cancelled],
    ['Received RST_STREAM with code 2', grpcStatus.internal],
    ['something else', grpcStatus.unknown],
  ])('may have had an effect, and another member may answer: %s', (details, status) => {
    const error = new EtcdError(status, details);
    expect([error.isWithoutEffect, error.isTransient]).toEqual([false, true]);
  });

  it.each([
    ['Error: unable to verify the first certificate', true, /^no TLS connection: unable to verify the first cert/],
    [
      "Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames: x",
      true,
      /^no TLS connection: Hostname.*altnames: x;/,
    ],
    [
      'Error: 80:error:0A00045C:SSL routines:a:tlsv13 alert certificate required',
      true,
      /check that etcd serves TLS, and check its CA and the client certificate$/,
    ],
    ['Error: connect ECONNREFUSED 127.0.0.1:1', false, /^connect ECONNREFUSED 127.0.0.1:1; check that etcd runs/],
    ['read ECONNRESET (2026-01-02T03:04:05.678Z)', false, /^read ECONNRESET; check that etcd runs/],
  ])('explains why no connection was established: %s', (last, isUntrusted, explanation) => {
    const details = `No connection established. Last error: ${last}. Resolution note: `;
    const error = new EtcdError(grpcStatus.unavailable, details);
    expect(error.isUntrusted).toBe(isUntrusted);
    expect(error.explanation).toMatch(explanation);
  });

  it.each([
    ['etcdserver: authentication failed, invalid user ID or password', grpcStatus.invalidArgument],
    ['etcdserver: user name is empty', grpcStatus.invalidArgument],
    ['etcdserver: permission denied', grpcStatus.permissionDenied],
  ])('explains refused credentials: %s', (details, status) => {
    const error = new EtcdError(status, details);
    expect(error.explanation).toMatch(/^etcd rejects the credentials: etcdserver: .*; check the user name/);
    expect([error.isTransient, error.isUntrusted]).toEqual([false, false]);
  });

  it.each([
    ['etcdserver: mvcc: database space exceeded', grpcStatus.resourceExhausted, 'OutOfSpace', 'alarm disarm'],
    ['etcdserver: request is too large', grpcStatus.invalidArgument, 'TooLarge', '--max-request-bytes'],
    ['etcdserver: too many operations in txn request', grpcStatus.invalidArgument, 'TooLarge', '--max-txn-ops'],
    ['grpc: received message larger than max (3 vs. 2)', grpcStatus.resourceExhausted, 'TooLarge', 'larger than max'],
    ['etcdserver: mvcc: required revision has been compacted', grpcStatus.outOfRange, 'Expired', 'repeat the call'],
    ['etcdserver: no leader', grpcStatus.unavailable, 'Unavailable', 'etcd is not available: etcdserver: no leader'],
  ])('becomes an error of the store: %s', (details, status, code, text) => {
    const error = toStoreError(new EtcdError(status, details));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(text) });
  });
});
