import { nameFaults, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../field-error.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../meta.ts';
import { type MetaRules, validateMeta, validateMetaUpdate } from './object-meta.ts';

const cluster: MetaRules = { namespaced: false };
const lines = (meta: ObjectMeta, rules: MetaRules = cluster) => validateMeta(meta, rules).map(describeFieldError);
const updateLines = (after: ObjectMeta, before: ObjectMeta) =>
  validateMetaUpdate(after, before).map(describeFieldError);

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name', or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const keyText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('names', () => {
  it('are DNS subdomains of at most 253 bytes (META-01, META-02)', () => {
    expect(lines({ name: 'Bad_Name' })).toEqual([`metadata.name: Invalid value: "Bad_Name": ${subdomainText}`]);
    const long = 'a'.repeat(254);
    expect(lines({ name: long })).toEqual([`metadata.name: Invalid value: "${long}": must be no more than 253 bytes`]);
    expect(lines({ name: 'a.b-c.d' })).toEqual([]);
  });

  it('are labels with a custom length limit if the kind requires it (META-03)', () => {
    expect(lines({ name: 'A' }, { namespaced: false, nameRule: 'label' })).toEqual([
      `metadata.name: Invalid value: "A": ${labelText}`,
    ]);
    expect(nameFaults('a.b', { nameRule: 'label' })).toEqual(['must not contain dots']);
    expect(nameFaults('a'.repeat(53), { nameRule: 'label', maxNameLength: 52 })).toEqual([
      'must be no more than 52 bytes',
    ]);
    expect(nameFaults('a'.repeat(64), { nameRule: 'label', maxNameLength: 52 })).toEqual([
      'must be no more than 63 bytes',
    ]);
  });

  it('are always a single path segment (META-04)', () => {
    expect(nameFaults('..', { nameRule: 'path-segment' })).toEqual(["may not be '..'"]);
    expect(nameFaults('a/b%', { nameRule: 'path-segment' })).toEqual(["may not contain '/'", "may not contain '%'"]);
    expect(nameFaults('system:Some Role', { nameRule: 'path-segment' })).toEqual([]);
  });

  it('must be set or generated (CREATE-15)', () => {
    expect(lines({})).toEqual(['metadata.name: Required value: name or generateName is required']);
  });

  it('may have a generateName that ends with a dash, but not one with upper case (CREATE-16)', () => {
    expect(lines({ name: 'web-x', generateName: 'web-' })).toEqual([]);
    expect(lines({ name: 'Web-x', generateName: 'Web-' })).toEqual([
      `metadata.generateName: Invalid value: "Web-": ${subdomainText}`,
      `metadata.name: Invalid value: "Web-x": ${subdomainText}`,
    ]);
  });

  it('accept valid names and reject all others', () => {
    const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,10}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        expect(nameFaults(parts.join('.'))).toEqual([]);
        expect(nameFaults(`${parts.join('.')}-`)).not.toEqual([]);
        expect(nameFaults(`.${parts.join('.')}`)).not.toEqual([]);
        expect(qualifiedNameFaults(`${parts.join('.')}/${parts[0]}`)).toEqual([]);
      }),
    );
  });
});

describe('namespaces', () => {
  it('are required and validated for namespaced kinds, and rejected for others (META-03)', () => {
    expect(lines({ name: 'a' }, { namespaced: true })).toEqual(['metadata.namespace: Required value']);
    expect(lines({ name: 'a', namespace: 'X' }, { namespaced: true })).toEqual([
      `metadata.namespace: Invalid value: "X": ${labelText}`,
    ]);
    expect(lines({ name: 'a', namespace: 'x' })).toEqual(['metadata.namespace: Forbidden: not allowed on this type']);
  });
});

describe('labels and annotations', () => {
  it('have qualified names as keys (META-05, META-06)', () => {
    expect(lines({ name: 'a', labels: { '-x': '' } })).toEqual([`metadata.labels: Invalid value: "-x": ${keyText}`]);
    expect(lines({ name: 'a', labels: { 'a/b/c': '' } })[0]).toMatch(
      /^metadata\.labels: Invalid value: "a\/b\/c": a valid label key must consist of .* with an optional DNS subdomain prefix and '\/' \(e\.g\. 'example\.com\/MyName'\)$/,
    );
    expect(qualifiedNameFaults('x'.repeat(64))).toEqual(['name part must be no more than 63 bytes']);
    expect(qualifiedNameFaults('a/')[0]).toBe('name part must be non-empty');
    expect(qualifiedNameFaults('/a')).toEqual(['prefix part must be non-empty']);
    expect(qualifiedNameFaults('A/b')).toEqual([`prefix part ${subdomainText}`]);
  });

  it('have label values of at most 63 bytes, reported with the path without the key (META-07)', () => {
    expect(lines({ name: 'a', labels: { k: 'no spaces' } })[0]).toMatch(
      /^metadata\.labels: Invalid value: "no spaces": a valid label must be an empty string or consist of alphanumeric characters/,
    );
    expect(lines({ name: 'a', labels: { k: 'v'.repeat(64) } })[0]).toMatch(/must be no more than 63 bytes$/);
    expect(lines({ name: 'a', labels: { k: '' } })).toEqual([]);
  });

  it('allow upper case in annotation keys and any values up to 256 KiB (META-08, META-09)', () => {
    expect(lines({ name: 'a', annotations: { 'Example.COM/Key': 'any\nthing' } })).toEqual([]);
    expect(lines({ name: 'a', annotations: { k: 'ü'.repeat(131_071) } })).toEqual([]);
    expect(lines({ name: 'a', annotations: { k: 'ü'.repeat(131_072) } })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ]);
  });
});

describe('finalizers', () => {
  it('are at most 1000, unless there were more before', () => {
    const finalizers = (count: number) => Array.from({ length: count }, (_, at) => `a.b/f${at}`);
    expect(lines({ name: 'a', finalizers: finalizers(1_000) })).toEqual([]);
    expect(lines({ name: 'a', finalizers: finalizers(1_001) })).toEqual([
      'metadata.finalizers: Too many: 1001: must have at most 1000 items',
    ]);
  });

  it('are qualified names (META-11), and orphan and foregroundDeletion exclude each other (META-12)', () => {
    expect(lines({ name: 'a', finalizers: ['a b'] })).toEqual([
      `metadata.finalizers: Invalid value: "a b": ${keyText}`,
    ]);
    expect(lines({ name: 'a', finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
  });

  it('cannot be added while the object is being deleted (UPDATE-17)', () => {
    const before = { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x.y/a'] };
    expect(updateLines({ ...before, finalizers: ['x.y/b', 'x.y/a'] }, before)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.y/b"}',
    ]);
    expect(updateLines({ ...before, finalizers: [] }, before)).toEqual([]);
  });
});

describe('owner references', () => {
  const owner: OwnerReference = { apiVersion: 'v1', kind: 'K', name: 'a', uid: 'u' };

  it('need all four members and a valid apiVersion (OWNER-01)', () => {
    const empty = { apiVersion: '', kind: '', name: '', uid: '' };
    expect(lines({ name: 'a', ownerReferences: [empty] })).toEqual(
      ['apiVersion', 'kind', 'name', 'uid'].map(
        (name) => `metadata.ownerReferences[0].${name}: Required value: must not be empty`,
      ),
    );
    expect(lines({ name: 'a', ownerReferences: [{ ...owner, apiVersion: 'a/b/c' }] })).toEqual([
      'metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
    ]);
  });

  it('have at most one controller (OWNER-02) and no events as owners (OWNER-03)', () => {
    const two = [
      { ...owner, controller: true },
      { ...owner, name: 'b', uid: 'v', controller: true },
    ];
    expect(lines({ name: 'a', ownerReferences: two })[0]).toMatch(
      /Only one reference can have Controller set to true\. Found "true" in references for K\/a and K\/b$/,
    );
    expect(lines({ name: 'a', ownerReferences: [{ ...owner, kind: 'Event' }] })[0]).toMatch(
      /^metadata\.ownerReferences\[0\]: Invalid value: .*: \/v1, Kind=Event is disallowed from being an owner$/,
    );
  });
});

describe('managed fields', () => {
  it('are validated entry by entry (SSA-31)', () => {
    const entry = {
      operation: 'X',
      apiVersion: 'v1',
      fieldsType: 'Y',
      fieldsV1: {},
      manager: 'a\nb',
      subresource: 's'.repeat(257),
    };
    expect(lines({ name: 'a', managedFields: [entry as unknown as ManagedFieldsEntry] })).toEqual([
      'metadata.managedFields[0].operation: Unsupported value: "X": supported values: "Apply", "Update"',
      'metadata.managedFields[0].fieldsType: Invalid value: "Y": must be `FieldsV1`',
      'metadata.managedFields[0].manager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
      'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
    ]);
    expect(lines({ name: 'a', managedFields: [{} as ManagedFieldsEntry] })).toEqual([
      'metadata.managedFields[0].operation: Required value: must not be empty',
    ]);
  });
});

describe('updates', () => {
  const before: ObjectMeta = { name: 'a', uid: 'u', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' };

  it('cannot change system fields (UPDATE-12, UPDATE-13, PATCH-17)', () => {
    expect(
      updateLines(
        { ...before, uid: 'v', deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 5 },
        before,
      ),
    ).toEqual([
      'metadata.uid: Invalid value: "v": field is immutable',
      'metadata.deletionTimestamp: Invalid value: "2026-01-02T00:00:00Z": field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable',
    ]);
    expect(updateLines(before, before)).toEqual([]);
  });

  it('cannot decrease the generation, which is never negative (META-13)', () => {
    expect(updateLines({ ...before, generation: 1 }, before)).toEqual([
      'metadata.generation: Invalid value: 1: must not be decremented',
    ]);
    expect(lines({ name: 'a', generation: -1 })).toEqual([
      'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});
