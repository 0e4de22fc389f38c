import {
  type AccessCheck,
  type AccessDecision,
  BOOL,
  CelOpaque,
  type Evaluation,
  EvaluationError,
  method,
  type Overload,
  opaque,
  STRING,
  signature,
} from '@flotilla/cel';

export const AUTHORIZER = opaque('kubernetes.authorization.Authorizer');
const PATH_CHECK = opaque('kubernetes.authorization.PathCheck');
const GROUP_CHECK = opaque('kubernetes.authorization.GroupCheck');
export const RESOURCE_CHECK = opaque('kubernetes.authorization.ResourceCheck');
const DECISION = opaque('kubernetes.authorization.Decision');

const EMPTY_CHECK: AccessCheck = { verb: '', group: '', resource: '', subresource: '', namespace: '', name: '' };

/**
 * A permission check under construction. The CEL variable `authorizer` is an instance of this class, and so are the
 * results of all its methods except `check`.
 */
class CelAccessCheck extends CelOpaque {
  readonly typeName: string;
  readonly attributes: AccessCheck;
  constructor(typeName: string, attributes: AccessCheck) {
    super();
    this.typeName = typeName;
    this.attributes = attributes;
  }
  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

class CelDecision extends CelOpaque {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly decision: AccessDecision;
  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }
  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

/** Returns the value of the CEL variable `authorizer`, which checks permissions of the caller. */
export function authorizerValue(): CelOpaque {
  return new CelAccessCheck('kubernetes.authorization.Authorizer', EMPTY_CHECK);
}

/** Returns the value of `authorizer.requestResource`, which checks the caller's permissions for the written object. */
export function resourceCheckValue(about: Partial<AccessCheck>): CelOpaque {
  return new CelAccessCheck('kubernetes.authorization.ResourceCheck', { ...EMPTY_CHECK, ...about });
}

type CheckAndText = readonly [CelAccessCheck, string];

function extendCheck(typeName: string, change: (text: string) => Partial<AccessCheck>) {
  return ([{ attributes }, text]: CheckAndText): CelAccessCheck =>
    new CelAccessCheck(typeName, { ...attributes, ...change(text) });
}

const CHECK = 'kubernetes.authorization.ResourceCheck';

/** The CEL functions that check other permissions of the caller or of a service account. */
export const authorizerLibrary: readonly Overload[] = [
  method(
    'path',
    'authorizer_path',
    signature([AUTHORIZER, STRING], PATH_CHECK),
    ([{ attributes }, path]: CheckAndText) => {
      if (path === '') throw new EvaluationError('path must not be empty');
      return new CelAccessCheck('kubernetes.authorization.PathCheck', { ...attributes, path });
    },
  ),
  method(
    'group',
    'authorizer_group',
    signature([AUTHORIZER, STRING], GROUP_CHECK),
    extendCheck('kubernetes.authorization.GroupCheck', (group) => ({ group })),
  ),
  method(
    'serviceAccount',
    'authorizer_serviceaccount',
    signature([AUTHORIZER, STRING, STRING], AUTHORIZER),
    ([{ attributes }, namespace, name]: readonly [CelAccessCheck, string, string]) =>
      new CelAccessCheck('kubernetes.authorization.Authorizer', { ...attributes, account: { namespace, name } }),
  ),
  method(
    'resource',
    'groupcheck_resource',
    signature([GROUP_CHECK, STRING], RESOURCE_CHECK),
    extendCheck(CHECK, (resource) => ({ resource })),
  ),
  method(
    'subresource',
    'resourcecheck_subresource',
    signature([RESOURCE_CHECK, STRING], RESOURCE_CHECK),
    extendCheck(CHECK, (subresource) => ({ subresource })),
  ),
  method(
    'namespace',
    'resourcecheck_namespace',
    signature([RESOURCE_CHECK, STRING], RESOURCE_CHECK),
    extendCheck(CHECK, (namespace) => ({ namespace })),
  ),
  method(
    'name',
    'resourcecheck_name',
    signature([RESOURCE_CHECK, STRING], RESOURCE_CHECK),
    extendCheck(CHECK, (name) => ({ name })),
  ),
  // Permissions never depend on selectors in this server, so a selector does not change the decision.
  method(
    'fieldSelector',
    'resourcecheck_fieldselector',
    signature([RESOURCE_CHECK, STRING], RESOURCE_CHECK),
    ([check]: CheckAndText) => check,
  ),
  method(
    'labelSelector',
    'resourcecheck_labelselector',
    signature([RESOURCE_CHECK, STRING], RESOURCE_CHECK),
    ([check]: CheckAndText) => check,
  ),
  method('check', 'pathcheck_check', signature([PATH_CHECK, STRING], DECISION), decide),
  method('check', 'resourcecheck_check', signature([RESOURCE_CHECK, STRING], DECISION), decide),
  method(
    'allowed',
    'decision_allowed',
    signature([DECISION], BOOL),
    ([{ decision }]: readonly [CelDecision]) => decision.allowed,
  ),
  method(
    'reason',
    'decision_reason',
    signature([DECISION], STRING),
    ([{ decision }]: readonly [CelDecision]) => decision.reason,
  ),
  method('errored', 'decision_errored', signature([DECISION], BOOL), () => false),
  method('error', 'decision_error', signature([DECISION], STRING), () => ''),
];

function decide([{ attributes }, verb]: CheckAndText, { checkAccess }: Evaluation): CelDecision {
  if (checkAccess === undefined) throw new EvaluationError('authorizer is not available here');
  return new CelDecision(checkAccess({ ...attributes, verb }));
}
