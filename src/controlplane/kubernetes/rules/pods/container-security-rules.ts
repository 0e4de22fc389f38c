import type { JsonObject, JsonValue } from '@flotilla/json';
import { type FieldError, invalid, notSupported } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { listOf, numberOf, objectAt, textOf } from '../checks.ts';
import { invalidStruct } from '../field-rules.ts';
import { isSet, type PodContext, structAt } from './pod-context.ts';
import { appArmorErrors, seccompErrors } from './profile-rules.ts';
import { windowsOptionErrors } from './windows-rules.ts';

const maxId = 2_147_483_647;
const procMounts = ['Default', 'Unmasked'];

/** Returns the error of the ID of a user or group. The ID may be absent. */
export function idErrors(path: string, value: JsonValue | undefined): FieldError[] {
  const id = numberOf(value);
  return id >= 0 && id <= maxId ? [] : [invalid(path, value, `must be between 0 and ${maxId}, inclusive`)];
}

/** Returns the errors of the security context of a container. */
export function* containerSecurityErrors(
  context: JsonObject,
  path: string,
  { hostUsers }: PodContext,
): Generator<FieldError> {
  for (const member of ['runAsUser', 'runAsGroup']) yield* idErrors(childPath(path, member), context[member]);
  if (isSet(context.procMount)) {
    const procMount = textOf(context.procMount);
    const at = childPath(path, 'procMount');
    if (!procMounts.includes(procMount)) yield notSupported(at, procMount, procMounts);
    if (hostUsers && procMount === 'Unmasked') {
      yield invalid(at, procMount, '`hostUsers` must be false to use `Unmasked`');
    }
  }
  yield* seccompErrors(context, path);
  if (context.allowPrivilegeEscalation === false) yield* escalationErrors(context, path);
  yield* windowsOptionErrors(context, path);
  yield* appArmorErrors(context, path);
}

function* escalationErrors(context: JsonObject, path: string): Generator<FieldError> {
  const detail = 'cannot set `allowPrivilegeEscalation` to false and';
  if (context.privileged === true)
    yield invalidStruct(path, printedContext(context), `${detail} \`privileged\` to true`);
  for (const capability of listOf(objectAt(context, 'capabilities').add)) {
    if (capability === 'CAP_SYS_ADMIN') {
      yield invalidStruct(path, printedContext(context), `${detail} \`capabilities.Add\` CAP_SYS_ADMIN`);
    }
  }
}

/** Returns a struct as error messages show it, with the member names of Kubernetes' internal types. */
function printedStruct(struct: JsonObject | undefined, names: Readonly<Record<string, string>>): JsonValue {
  if (struct === undefined) return null;
  return Object.fromEntries(Object.entries(names).map(([name, member]) => [name, struct[member] ?? null]));
}

const profileMembers = { Type: 'type', LocalhostProfile: 'localhostProfile' };

function printedContext(context: JsonObject): JsonObject {
  const member = (name: string): JsonValue => context[name] ?? null;
  const labels = structAt(context, 'seLinuxOptions');
  return {
    Capabilities: printedStruct(structAt(context, 'capabilities'), { Add: 'add', Drop: 'drop' }),
    Privileged: member('privileged'),
    SELinuxOptions:
      labels === undefined
        ? null
        : {
            User: textOf(labels.user),
            Role: textOf(labels.role),
            Type: textOf(labels.type),
            Level: textOf(labels.level),
          },
    WindowsOptions: printedStruct(structAt(context, 'windowsOptions'), {
      GMSACredentialSpecName: 'gmsaCredentialSpecName',
      GMSACredentialSpec: 'gmsaCredentialSpec',
      RunAsUserName: 'runAsUserName',
      HostProcess: 'hostProcess',
    }),
    RunAsUser: member('runAsUser'),
    RunAsGroup: member('runAsGroup'),
    RunAsNonRoot: member('runAsNonRoot'),
    ReadOnlyRootFilesystem: member('readOnlyRootFilesystem'),
    AllowPrivilegeEscalation: member('allowPrivilegeEscalation'),
    ProcMount: member('procMount'),
    SeccompProfile: printedStruct(structAt(context, 'seccompProfile'), profileMembers),
    AppArmorProfile: printedStruct(structAt(context, 'appArmorProfile'), profileMembers),
  };
}
