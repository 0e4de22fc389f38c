import { expect, it } from 'vitest';
import {
  type FieldError,
  fieldNotFound,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../api/field-error.ts';
import { managementGroup, projectNamespace } from '../../api/naming.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  forbiddenPath,
  invalidObject,
  notFound,
  objectModifiedDetail,
  pathNotFound,
  timedOut,
  unauthorized,
} from '../../api/status.ts';
import { CliError } from '../cli-error.ts';
import { describeFailure } from './describe-failure.ts';
import type { KnownNames } from './missing-name.ts';

const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name', or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const resource = (name: string) => ({ group: managementGroup, resource: name });

it.each([
  [new CliError('a\n b', { next: 'do c', exitCode: 6 }), 6, 'a b; do c'],
  [unauthorized(), 3, /log in again: flotilla login/],
  [forbiddenPath('no'), 3, /flotilla whoami/],
  [
    notFound(resource('virtualclusterinstances'), 'demo'),
    4,
    'virtual cluster "demo" not found; list them with: flotilla list',
  ],
  [notFound(resource('ownedaccesskeys'), 'ci'), 4, /^you have no access key "ci"; .*flotilla access-key list.* --all$/],
  [notFound(resource('accesskeys'), 'ci'), 4, /^access key "ci" not found; list them with: flotilla access-key list$/],
  [notFound({ group: '', resource: 'namespaces' }, projectNamespace('red')), 4, /^project "red" not found/],
  [pathNotFound(), 4, /; this client uses the API word "platform": .* set FLOTILLA_API_WORD$/],
  [conflict(resource('users'), 'anna', 'changed meanwhile'), 5, /changed meanwhile/],
  [alreadyExists(resource('users'), 'anna'), 5, /already exists/],
  [new CliError('it exists', { cause: alreadyExists(resource('users'), 'anna') }), 5, 'it exists'],
  [timedOut('no quorum'), 6, /no quorum; try again$/],
  [badRequest('what?'), 1, 'what?'],
  [Object.assign(new Error('port in use'), { name: 'StartError' }), 1, 'port in use'],
  [Object.assign(new Error("EACCES: permission denied, open '/x'"), { syscall: 'open' }), 1, /permission denied/],
  ['text', 1, 'text'],
])('describes %s in one line', (error, exitCode, text) => {
  const failure = describeFailure(error);
  expect(failure.exitCode).toBe(exitCode);
  expect(failure.text).not.toContain('\n');
  if (typeof text === 'string') expect(failure.text).toBe(text);
  else expect(failure.text).toMatch(text);
});

it('the description includes the stack of an unexpected error', () => {
  expect(describeFailure(new TypeError('x is not a function')).text).toMatch(/TypeError: x is not a function\n +at /);
});

const invalidInstance = (...errors: FieldError[]) =>
  invalidObject({ group: managementGroup, kind: 'VirtualClusterInstance' }, 'x', errors);
const unknownTemplate = invalidInstance(fieldNotFound('spec.templateRef.name', 'x1'));
const inDefault = (...names: string[]): KnownNames => ({ project: 'default', names, isPartial: false });

it.each([
  [
    unknownTemplate,
    inDefault('control-plane', 'small'),
    'template "x1" not found in project "default"; there are: control-plane, small',
  ],
  [unknownTemplate, inDefault('x2', 'small'), 'template "x1" not found in project "default"; did you mean "x2"?'],
  [unknownTemplate, inDefault(), 'template "x1" not found in project "default"; there are none'],
  [unknownTemplate, undefined, 'template "x1" not found; list them with: flotilla template list'],
  [
    unknownTemplate,
    { ...inDefault('aaa', 'bbb'), isPartial: true },
    'template "x1" not found in project "default"; there are: aaa, bbb, and more; list them with: flotilla template list',
  ],
  [
    notFound(resource('virtualclusterinstances'), 'dmeo'),
    inDefault('demo', 'other'),
    'virtual cluster "dmeo" not found in project "default"; did you mean "demo"?',
  ],
  [
    notFound({ group: '', resource: 'namespaces' }, projectNamespace('rde')),
    { project: undefined, names: ['red', 'blue'], isPartial: false },
    'project "rde" not found; did you mean "red"?',
  ],
])('names what exists instead of a missing name', (error, known, text) => {
  expect(describeFailure(error, known)).toMatchObject({ text, exitCode: 4 });
});

it('has the exit code of a missing object also for an error that a command has reworded', () => {
  expect(describeFailure(new CliError('no changes made', { cause: unknownTemplate })).exitCode).toBe(4);
  const twoErrors = invalidInstance(fieldNotFound('spec.templateRef.name', 'x1'), required('spec.parameters.size', ''));
  expect(describeFailure(twoErrors).exitCode).toBe(1);
});

it.each([
  [
    invalidInstance(
      notSupported('spec.parameters.env', 'prod', ['dev', 'test']),
      required('spec.parameters.size', 'Number of nodes'),
    ),
    'virtual cluster "x" is not valid: parameter "env" must be one of "dev", "test", and is "prod"; parameter "size" is required (Number of nodes): --set size=VALUE',
  ],
  [
    invalidInstance(invalid('metadata.name', 'X_1', labelRule)),
    `virtual cluster "x" is not valid: the name must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character`,
  ],
  [
    invalidInstance(forbiddenField('spec.parameters.a', 'the template has no parameters')),
    'virtual cluster "x" is not valid: parameter "a": the template has no parameters',
  ],
  [
    invalidInstance(invalid('spec.templateRef.version', '9.x.x', 'the template small has no version that matches')),
    'virtual cluster "x" is not valid: spec.templateRef.version: the template small has no version that matches',
  ],
  [alreadyExists(resource('users'), 'anna'), 'user "anna" already exists'],
  [conflict(resource('users'), 'anna', objectModifiedDetail), 'user "anna" was changed in the meantime; try again'],
  [
    forbidden(
      resource('virtualclusterinstances'),
      '',
      `User "anna" cannot list resource "virtualclusterinstances" in API group "${managementGroup}" in the namespace "${projectNamespace('red')}": no role grants this`,
    ),
    'you are not allowed to list virtual clusters in project "red": no role grants this; show your user and access key with: flotilla whoami',
  ],
  [
    forbidden(
      resource('virtualclusterinstances'),
      'demo',
      `User "anna" cannot create resource "virtualclusterinstances/kubeconfig" in API group "${managementGroup}" in the namespace "${projectNamespace('red')}"`,
    ),
    'you are not allowed to create kubeconfig of virtual cluster "demo" in project "red"; show your user and access key with: flotilla whoami',
  ],
])('words an error response as the commands do, and keeps the response', (error, text) => {
  const failure = describeFailure(error);
  expect(failure.text).toBe(text);
  expect(failure.response).toContain(`${error.code} ${error.status.reason} `);
});
