import { duplicate, type FieldError } from '../../api/field-error.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, invalidObject } from '../../api/status.ts';
import { hashPassword, verifyPassword } from '../../auth/password-hash.ts';
import { textAt } from '../../lib/json-path.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type Draft, defineResource, type StoredRecord, type StoredResource } from '../../registry/resource.ts';
import { callerOf } from '../caller.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { checkAdminsOnly, checkDisplayOnly } from '../display-only.ts';
import { writableSpec } from '../draft-spec.ts';
import { cutFromLastApplied } from '../last-applied.ts';
import { groupErrors, subjectErrors } from '../rules/group-errors.ts';

/** The sealed slow hash in the hidden part, and the purpose it is sealed for. */
export const hiddenPassword = 'password';
export const passwordPurpose = 'user-password';

const shortestPassword = 8;
const longestPassword = 1024;

const secretPaths = [['spec', 'password']];

export function users({ sealer }: Pick<ManagementDependencies, 'sealer'>): StoredResource {
  const faults = new WeakMap<Draft, FieldError>();

  /** Takes the password out of the object; what is kept is a hash that says nothing about it. */
  async function takePassword(draft: Draft, context: RequestContext): Promise<void> {
    const spec = writableSpec(draft.object);
    const sent = spec.password;
    delete spec.password;
    cutFromLastApplied(draft.object, secretPaths);
    if (sent === undefined || sent === null || sent === '') return;
    checkMaySetPassword(draft, context);
    if (typeof sent !== 'string' || sent.length < shortestPassword || sent.length > longestPassword) {
      const message = `Invalid value: must be ${shortestPassword} to ${longestPassword} characters long`;
      faults.set(draft, { type: 'FieldValueInvalid', field: 'spec.password', message });
      return;
    }
    const kept = textAt(draft.hidden, hiddenPassword);
    if (kept !== '' && (await verifyPassword(sent, sealer.open(passwordPurpose, kept)))) return;
    draft.hidden[hiddenPassword] = sealer.seal(passwordPurpose, await hashPassword(sent));
  }

  return defineResource({
    ...userKind,
    hasStatus: true,
    gracePeriods: true,
    writeOnly: secretPaths,
    async prepare(draft, context) {
      await takePassword(draft, context);
      checkAdminsOnly(userKind, draft, context, ['groups', 'subject', 'disabled']);
      checkDisplayOnly(userKind, draft, context);
    },
    validate(draft) {
      const subject = textAt(draft.object, 'spec', 'subject');
      const fault = faults.get(draft);
      return [
        ...(fault === undefined ? [] : [fault]),
        ...subjectErrors(subject, 'spec.subject'),
        ...groupErrors(draft.object),
      ];
    },
    claims,
    claimTaken(claim, _holder, draft) {
      const name = draft.object.metadata.name ?? '';
      const subject = textAt(draft.object, 'spec', 'subject');
      const error =
        claim === subjectClaim(subject) ? duplicate('spec.subject', subject) : duplicate('metadata.name', name);
      return invalidObject(userKind, name, [error]);
    },
  });
}

/** Admins, and every user their own. */
function checkMaySetPassword(draft: Draft, context: RequestContext): void {
  const caller = callerOf(context.user);
  const name = draft.object.metadata.name ?? '';
  if (context.system || caller.isAdmin || (draft.old !== undefined && caller.user === name)) return;
  throw forbidden(groupResourceOf(userKind), name, 'only admins may set spec.password of somebody else');
}

function subjectClaim(subject: string): string {
  return `subject:${subject}`;
}

/** Nobody's subject is anybody else's name or subject, so no two users are ever the same towards a cluster. */
function claims(record: StoredRecord): readonly string[] {
  const name = record.object.metadata.name ?? '';
  const subject = textAt(record.object, 'spec', 'subject');
  return [...new Set([name, subject])].filter((one) => one !== '').map(subjectClaim);
}
