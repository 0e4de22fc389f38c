import { expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../api/naming.ts';
import { conflict, forbiddenPath, notFound, pathNotFound, unauthorized } from '../api/status.ts';
import { CliError } from './cli-error.ts';
import { describeFailure } from './describe-failure.ts';

const resource = (name: string) => ({ group: managementGroup, resource: name });

it.each([
  [new CliError('a\n b', { next: 'do c', exitCode: 5 }), 5, 'a b; do c'],
  [unauthorized(), 4, /log in again: flotilla login/],
  [forbiddenPath('no'), 4, /flotilla whoami/],
  [
    notFound(resource('virtualclusterinstances'), 'demo'),
    3,
    'virtual cluster "demo" not found; list them with: flotilla list',
  ],
  [notFound(resource('ownedaccesskeys'), 'ci'), 3, /^you have no access key "ci"; .*flotilla access-key list.* --all$/],
  [notFound(resource('accesskeys'), 'ci'), 3, /^access key "ci" not found; list them with: flotilla access-key list$/],
  [notFound({ group: '', resource: 'namespaces' }, projectNamespace('red')), 3, /^project "red" not found/],
  [pathNotFound(), 3, /; this client uses the API word "platform": .* set FLOTILLA_API_WORD$/],
  [conflict(resource('users'), 'anna', 'changed meanwhile'), 1, /changed meanwhile/],
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

it('includes the stack of an unexpected error', () => {
  expect(describeFailure(new TypeError('x is not a function')).text).toMatch(/TypeError: x is not a function\n +at /);
});
