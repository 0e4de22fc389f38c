import {
  BOOL,
  type CelType,
  DYN,
  type Environment,
  groupOverloads,
  INT,
  libraryFunctions,
  libraryTypes,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
} from '@flotilla/cel';
import { AUTHORIZER, authorizerLibrary, RESOURCE_CHECK } from './authorizer-library.ts';
import { patchLibrary, patchType } from './patch-library.ts';

function object(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: 'object', name, fields: new Map(Object.entries(fields)) };
}

const groupVersionKind = object('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const groupVersionResource = object('kubernetes.GroupVersionResource', {
  group: STRING,
  version: STRING,
  resource: STRING,
});
const userInfo = object('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
});

const request = object('kubernetes.AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: STRING,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo,
  dryRun: BOOL,
  options: DYN,
});

const namespaceObject = object('kubernetes.Namespace', {
  metadata: object('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: object('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
  status: object('kubernetes.NamespaceStatus', {
    conditions: listOf(
      object('kubernetes.NamespaceCondition', {
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    ),
    phase: STRING,
  }),
});

export interface PolicyEnvironmentOptions {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** The types of the policy variables that are declared before the current expression, by name. */
  readonly variables?: ReadonlyMap<string, CelType>;
  /** The type of the CEL variables `object` and `oldObject`. Optional; defaults to dynamic. */
  readonly objectType?: CelType;
  /** True if the expression can construct `Object` and `JSONPatch`. Optional; defaults to false. */
  readonly patchTypes?: boolean;
}

let functions: Environment['functions'] | undefined;
let patchFunctions: Environment['functions'] | undefined;

/** Returns the variables, functions and types that the CEL expressions of a policy can use. */
export function policyEnvironment({
  params,
  authorizer,
  variables,
  objectType = DYN,
  patchTypes = false,
}: PolicyEnvironmentOptions): Environment {
  functions ??= groupOverloads([...[...libraryFunctions().values()].flat(), ...authorizerLibrary]);
  const names = new Map<string, CelType>([
    ['object', objectType],
    ['oldObject', objectType],
    ['request', request],
    ['namespaceObject', namespaceObject],
  ]);
  if (params) names.set('params', DYN);
  if (authorizer) {
    names.set('authorizer', AUTHORIZER);
    names.set('authorizer.requestResource', RESOURCE_CHECK);
  }
  if (variables !== undefined)
    names.set('variables', { kind: 'object', name: 'kubernetes.variables', fields: variables });
  if (!patchTypes) return { variables: names, functions, types: libraryTypes };
  patchFunctions ??= groupOverloads([...[...functions.values()].flat(), ...patchLibrary]);
  return { variables: names, functions: patchFunctions, types: libraryTypes, messageType: patchType };
}
