import { loadParser } from '@flotilla/cel';
import type { JsonValue } from '@flotilla/json';
import { dns1035LabelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { ruleErrors } from '../../api/admissionregistration/match-errors.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { childPath, indexPath } from '../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../api/selectors/selector-object.ts';
import { PolicyCompiler } from '../policies/compile-policy.ts';
import { conditionErrors } from '../policies/policy-errors.ts';
import { type Webhook, webhooksOf } from './webhook-spec.ts';

const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const URL_FORM = '; desired format: https://host[/path]';

/** Returns the validation errors of a webhook configuration and of its CEL expressions, worded as in Kubernetes. */
export async function webhookConfigurationErrors(object: KubeObject): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  // The expressions of all webhooks together are limited.
  const compiler = new PolicyCompiler(await loadParser(), { params: false, authorizer: true });
  for (const [index, hook] of webhooksOf(object).entries()) {
    const path = indexPath('webhooks', index);
    const { name = '', matchConditions = [] } = hook;
    errors.push(...webhookErrors(hook, path));
    const compiled = await compiler.compileConditions(matchConditions);
    errors.push(...conditionErrors(matchConditions, compiled, childPath(path, 'matchConditions')));
    errors.push(...reviewVersionErrors(hook.admissionReviewVersions ?? [], childPath(path, 'admissionReviewVersions')));
    if (name !== '' && names.has(name)) errors.push(duplicate(childPath(path, 'name'), name));
    names.add(name);
  }
  return errors;
}

function webhookErrors(hook: Webhook, path: string): FieldError[] {
  const at = (name: string): string => childPath(path, name);
  const errors = nameErrors(hook.name ?? '', at('name'));
  for (const [index, rule] of (hook.rules ?? []).entries())
    errors.push(...ruleErrors(rule, indexPath(at('rules'), index)));
  errors.push(...choiceErrors(hook.failurePolicy, ['Fail', 'Ignore'], at('failurePolicy')));
  errors.push(...choiceErrors(hook.matchPolicy, ['Equivalent', 'Exact'], at('matchPolicy')));
  if (hook.sideEffects === undefined) {
    errors.push(required(at('sideEffects'), `must specify one of ${SIDE_EFFECTS.join(', ')}`));
  } else errors.push(...choiceErrors(hook.sideEffects, SIDE_EFFECTS, at('sideEffects')));
  const { timeoutSeconds } = hook;
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    errors.push(invalid(at('timeoutSeconds'), timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'));
  }
  for (const name of ['namespaceSelector', 'objectSelector'] as const) {
    if (hook[name] !== undefined) errors.push(...labelSelectorErrors(hook[name] as JsonValue, at(name)));
  }
  errors.push(...choiceErrors(hook.reinvocationPolicy, ['IfNeeded', 'Never'], at('reinvocationPolicy')));
  return [...errors, ...clientConfigErrors(hook.clientConfig ?? {}, at('clientConfig'))];
}

function choiceErrors(value: string | undefined, choices: readonly string[], path: string): FieldError[] {
  return value === undefined || choices.includes(value) ? [] : [notSupported(path, value, [...choices])];
}

function nameErrors(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)];
  const faults = subdomainFaults(name);
  if (faults.length > 0) return [invalid(path, name, faults.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function clientConfigErrors({ url, service }: NonNullable<Webhook['clientConfig']>, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return urlErrors(url, childPath(path, 'url'));
  return serviceErrors(service ?? {}, childPath(path, 'service'));
}

function urlErrors(text: string, path: string): FieldError[] {
  const [, scheme = '', authority, rest = ''] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?(.*)$/s.exec(text) ?? [];
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${URL_FORM}`));
  }
  const user = authority?.includes('@') === true ? authority.slice(0, authority.lastIndexOf('@')) : undefined;
  const host = authority?.slice((user?.length ?? -1) + 1) ?? '';
  if (host === '') errors.push(invalid(path, host, `host must be specified${URL_FORM}`));
  if (user !== undefined) errors.push(invalid(path, user, 'user information is not permitted in the URL'));
  const [beforeFragment = '', ...fragment] = rest.split('#');
  if (fragment.join('#') !== '')
    errors.push(invalid(path, fragment.join('#'), 'fragments are not permitted in the URL'));
  const query = beforeFragment.split('?').slice(1).join('?');
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  if (errors.length === 0 && !URL.canParse(text)) {
    errors.push(required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URL${URL_FORM}`));
  }
  return errors;
}

function serviceErrors(
  {
    namespace = '',
    name = '',
    path: urlPath,
    port = 443,
  }: NonNullable<NonNullable<Webhook['clientConfig']>['service']>,
  path: string,
): FieldError[] {
  const at = (member: string): string => childPath(path, member);
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(at('name')));
  if (namespace === '') errors.push(required(at('namespace')));
  if (port < 1 || port > 65_535) {
    errors.push(invalid(at('port'), port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  if (urlPath === undefined || urlPath === '' || urlPath === '/') return errors;
  if (urlPath === '//') return [...errors, invalid(at('path'), urlPath, 'segment[0] may not be empty')];
  if (!urlPath.startsWith('/')) errors.push(invalid(at('path'), urlPath, "must start with a '/'"));
  const steps = urlPath.slice(1).replace(/\/$/, '').split('/');
  for (const [index, step] of steps.entries()) {
    if (step === '') errors.push(invalid(at('path'), urlPath, `segment[${index}] may not be empty`));
    else
      for (const fault of subdomainFaults(step))
        errors.push(invalid(at('path'), urlPath, `segment[${index}]: ${fault}`));
  }
  return errors;
}

function reviewVersionErrors(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) {
      errors.push(invalid(indexPath(path, index), version, 'duplicate version'));
      continue;
    }
    seen.add(version);
    for (const fault of dns1035LabelFaults(version)) errors.push(invalid(indexPath(path, index), version, fault));
  }
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    errors.push(invalid(path, [...versions], `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
  }
  return errors;
}
