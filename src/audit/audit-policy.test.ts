import { describe, expect, it } from 'vitest';
import { managementGroup } from '../api/naming.ts';
import {
  type AuditAttributes,
  type AuditRule,
  auditLevel,
  defaultAuditRules,
  isStateChangingRequest,
} from './audit-policy.ts';

function facts(changes: Partial<AuditAttributes>): AuditAttributes {
  const resource = { group: managementGroup, resource: 'projects', subresource: '' };
  return { verb: 'get', path: '/', resource, ...changes };
}

describe('the default audit policy', () => {
  it.each(['create', 'update', 'patch', 'delete', 'deletecollection'])('writes a line for %s', (verb) => {
    expect(auditLevel(defaultAuditRules, facts({ verb }))).toBe('Metadata');
  });

  it.each(['get', 'list', 'watch'])('writes no line for an allowed %s', (verb) => {
    expect(auditLevel(defaultAuditRules, facts({ verb, code: 200 }))).toBe('None');
  });

  it.each([401, 403, 429])('writes a line for a read with status %i', (code) => {
    expect(auditLevel(defaultAuditRules, facts({ code }))).toBe('Metadata');
  });

  it('writes no line for self reviews, unless they were refused', () => {
    const resource = { group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews', subresource: '' };
    expect(auditLevel(defaultAuditRules, facts({ verb: 'create', resource, code: 201 }))).toBe('None');
    expect(auditLevel(defaultAuditRules, facts({ verb: 'create', resource, code: 401 }))).toBe('Metadata');
  });

  it('writes a line for kubeconfigs, tokens, backups and reads of the audit log', () => {
    for (const [plural, subresource] of [
      ['virtualclusterinstances', 'kubeconfig'],
      ['directclusterendpointtokens', ''],
    ] as const) {
      const resource = { group: managementGroup, resource: plural, subresource };
      expect(auditLevel(defaultAuditRules, facts({ verb: 'create', resource }))).toBe('Metadata');
    }
    for (const path of ['/backup', '/audit', '/audit/verify', '/audit/export']) {
      const { resource: _, ...read } = facts({ path, code: 200 });
      expect(auditLevel(defaultAuditRules, read)).toBe('Metadata');
    }
  });

  it('writes a line before a shell is opened in a pod, even by GET (completions §11)', () => {
    for (const subresource of ['exec', 'attach', 'portforward']) {
      const resource = { group: '', resource: 'pods', subresource };
      expect(auditLevel(defaultAuditRules, facts({ verb: 'get', resource, code: 101 }))).toBe('Metadata');
      expect(isStateChangingRequest({ verb: 'get', subresource, path: '/' })).toBe(true);
    }
    expect(isStateChangingRequest({ verb: 'get', subresource: 'log', path: '/' })).toBe(false);
  });

  it('writes a line before an identity provider completes a login, though it does so by GET', () => {
    const path = '/auth/oidc/company/callback';
    const { resource: _, ...login } = facts({ verb: 'get', path, code: 303 });
    expect(auditLevel(defaultAuditRules, login)).toBe('Metadata');
    expect(isStateChangingRequest({ verb: 'get', subresource: '', path })).toBe(true);
    expect(isStateChangingRequest({ verb: 'get', subresource: '', path: '/auth/oidc/company/login' })).toBe(false);
  });
});

describe('auditLevel', () => {
  it('uses the first matching rule', () => {
    const rules: AuditRule[] = [{ level: 'None', users: ['robot'] }, { level: 'Request' }];
    expect(auditLevel(rules, facts({ user: { username: 'robot', groups: [] } }))).toBe('None');
    expect(auditLevel(rules, facts({ user: { username: 'anna', groups: [] } }))).toBe('Request');
    expect(auditLevel(rules, facts({}))).toBe('Request');
    expect(auditLevel([], facts({}))).toBe('None');
  });

  it('matches groups, namespaces, subresources and paths', () => {
    const level = (rule: Omit<AuditRule, 'level'>, changes: Partial<AuditAttributes>) =>
      auditLevel([{ level: 'Metadata', ...rule }], facts(changes));
    expect(level({ userGroups: ['g'] }, { user: { username: 'a', groups: ['g'] } })).toBe('Metadata');
    expect(level({ userGroups: ['g'] }, {})).toBe('None');
    expect(level({ namespaces: ['n'] }, { namespace: 'n' })).toBe('Metadata');
    expect(level({ namespaces: [''] }, {})).toBe('Metadata');
    const status = { group: managementGroup, resource: 'projects', subresource: 'status' };
    const of = (...resources: string[]) => ({ resources: [{ group: managementGroup, resources }] });
    expect(level(of('projects'), { resource: status })).toBe('None');
    expect(level(of('projects/status'), { resource: status })).toBe('Metadata');
    expect(level(of('projects/*'), { resource: status })).toBe('Metadata');
    expect(level({ resources: [{ group: 'other' }] }, { resource: status })).toBe('None');
    const { resource: _, ...path } = facts({ path: '/metrics/x' });
    expect(auditLevel([{ level: 'Metadata', nonResourceURLs: ['/metrics/*'] }], path)).toBe('Metadata');
    expect(auditLevel([{ level: 'Metadata', nonResourceURLs: ['/metrics'] }], path)).toBe('None');
  });
});
