import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../src/api/audit/audit-event.ts';
import { managementGroup, projectNamespace } from '../../../src/api/naming.ts';
import { codeTone, objectInWords, userInWords } from './event-words.ts';

const base: AuditEvent = {
  level: 'Metadata',
  auditID: 'a',
  stage: 'ResponseComplete',
  verb: 'get',
  requestURI: '/metrics?x=y',
  sourceIPs: [],
  userAgent: '',
  requestReceivedTimestamp: '',
  stageTimestamp: '',
};

describe('the text of an audit event', () => {
  it('names the resource or path', () => {
    expect(objectInWords(base)).toBe('/metrics');
    const ref = { resource: 'virtualclusterinstances', apiGroup: managementGroup };
    expect(objectInWords({ ...base, objectRef: ref })).toBe('virtualclusterinstances');
    expect(
      objectInWords({
        ...base,
        objectRef: { ...ref, subresource: 'kubeconfig', name: 'demo', namespace: projectNamespace('shop') },
      }),
    ).toBe('virtualclusterinstances/kubeconfig demo in project shop');
    expect(objectInWords({ ...base, objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'x' } })).toBe(
      'deployments.apps in namespace x',
    );
  });

  it('names the user', () => {
    expect(userInWords(base)).toBe('unknown user');
    const user = { username: 'root', groups: [] };
    expect(userInWords({ ...base, user })).toBe('root');
    expect(userInWords({ ...base, user, impersonatedUser: { username: 'anna', groups: [] } })).toBe('root as anna');
  });

  it('distinguishes client and server errors', () => {
    expect([undefined, 201, 403, 503].map(codeTone)).toEqual(['off', 'good', 'busy', 'bad']);
  });
});
