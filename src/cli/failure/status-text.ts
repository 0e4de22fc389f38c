import { apiWordVariable } from '../../api/api-word.ts';
import { apiWord, projectOfNamespace } from '../../api/naming.ts';
import { objectModifiedDetail, pathNotFound, type StatusCause, type StatusError } from '../../api/status.ts';
import { namedKinds } from '../kinds.ts';
import { type KnownNames, missingNameIn, missingNameText } from './missing-name.ts';

/**
 * Describes an error response in the terms of the commands: with nouns instead of resources, and without the paths and
 * patterns of the API. Returns the message of the server if no command manages the kind. `known` are the existing names
 * to suggest for a missing name.
 */
export function statusText(error: StatusError, known?: KnownNames): string {
  const { message } = error;
  const missing = missingNameIn(error);
  if (missing !== undefined) return missingNameText(missing, known);
  switch (error.code) {
    case 401:
      return 'the server rejected the access key (it may be expired or disabled); log in again: flotilla login';
    case 403:
      return `${forbiddenText(message)}; show your user and access key with: flotilla whoami`;
    case 404:
      return message === pathNotFound().message
        ? `${message}; this client uses the API word "${apiWord}": if the server has another one, log in again (flotilla login) or set ${apiWordVariable}`
        : message;
    case 408:
    case 504:
      return `${message}; try again`;
    case 409:
      return conflictText(error);
    case 422:
      return invalidText(error);
    case 429:
      return `${message}; the server received too many requests, try again later`;
    default:
      return message;
  }
}

const permissionPattern =
  /^\S+(?: "(?<name>[^"]*)")? is forbidden: User "[^"]*" cannot (?<verb>\S+) resource "(?<resource>[^"/]+)(?:\/(?<subresource>[^"]+))?" in API group "[^"]*" (?:in the namespace "(?<namespace>[^"]*)"|at the cluster scope)(?:: (?<reason>.*))?$/s;

/** Rewords the message of Kubernetes about a missing permission. Returns any other message unchanged. */
function forbiddenText(message: string): string {
  const { name, verb = '', resource, subresource, namespace, reason } = permissionPattern.exec(message)?.groups ?? {};
  const kind = namedKinds.find(({ plural }) => plural === resource);
  if (kind === undefined) return message;
  const project = namespace === undefined ? undefined : projectOfNamespace(namespace);
  const object = name === undefined ? `${kind.noun}s` : `${kind.noun} "${name}"`;
  const what = subresource === undefined ? object : `${subresource} of ${object}`;
  return `you are not allowed to ${verb} ${what}${project === undefined ? '' : ` in project "${project}"`}${reason === undefined ? '' : `: ${reason}`}`;
}

function conflictText({ message, status }: StatusError): string {
  const { kind: plural, name = '' } = status.details ?? {};
  const kind = namedKinds.find((one) => one.plural === plural);
  if (kind === undefined || name === '') return message;
  const subject = `${kind.noun} "${name}"`;
  if (status.reason === 'AlreadyExists')
    return message.startsWith('object is being deleted')
      ? `${subject} is still being deleted; try again when it is gone`
      : `${subject} already exists`;
  if (message.endsWith(objectModifiedDetail)) return `${subject} was changed in the meantime; try again`;
  return message.replace(/^Operation cannot be fulfilled on \S+ "[^"]*": /, `${subject}: `);
}

function invalidText({ message, status }: StatusError): string {
  const { kind: kindName, name = '', causes = [] } = status.details ?? {};
  const kind = namedKinds.find((one) => one.kind === kindName);
  if (kind === undefined || causes.length === 0) return message;
  const problems = [...new Set(causes.map(causeText))];
  return `${kind.noun}${name === '' ? '' : ` "${name}"`} is not valid: ${problems.join('; ')}`;
}

/** Matches a Go string literal. Error messages quote values in this form. */
const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const invalidPattern = new RegExp(`^Invalid value: (?:${quoted}|[^:"]*): (?<detail>.*)$`, 's');
const unsupportedPattern = new RegExp(
  `^Unsupported value: (?<value>${quoted}|[^:]*): supported values: (?<all>.*)$`,
  's',
);

function causeText({ field = '', message = '' }: StatusCause): string {
  const [, parameter] = /^spec\.parameters\.(.+)$/.exec(field) ?? [];
  const subject = parameter !== undefined ? `parameter "${parameter}"` : field === 'metadata.name' ? 'the name' : field;
  const unsupported = unsupportedPattern.exec(message)?.groups;
  if (unsupported !== undefined) return `${subject} must be one of ${unsupported.all}, and is ${unsupported.value}`;
  const required = /^Required value(?:: (?<meaning>.*))?$/s.exec(message);
  if (required !== null) {
    const meaning = required.groups?.meaning === undefined ? '' : ` (${required.groups.meaning})`;
    const option = parameter === undefined ? '' : `: --set ${parameter}=VALUE`;
    return `${subject} is required${meaning}${option}`;
  }
  const detail = invalidPattern.exec(message)?.groups?.detail ?? message.replace(/^Forbidden: /, '');
  // Kubernetes appends an example and the regular expression to its explanation of a valid name. Remove both.
  const explained = detail
    .replace(/^an? lowercase RFC 1123 (?:label|subdomain) /, '')
    .replace(/ \(e\.g\. [^)]*regex used for validation is .*\)$/s, '');
  return explained === detail ? `${subject}: ${detail}` : `${subject} ${explained}`;
}
