import { admissionGroup } from '../../../api/admissionregistration/match-resources.ts';
import type { FieldError } from '../../../api/field-error.ts';
import type { RequestContext } from '../../../registry/context.ts';
import type { Draft, StoredResource } from '../../../registry/resource.ts';
import { resourceKey } from '../../../registry/rows/rows.ts';
import type { ControlPlane } from '../../control-plane.ts';
import { paramKindErrors, paramRefErrors } from '../param-permissions.ts';

type Checks = Pick<StoredResource, 'validate'>;

const policyKey = resourceKey({ group: admissionGroup, plural: 'mutatingadmissionpolicies' });
const bindingKey = resourceKey({ group: admissionGroup, plural: 'mutatingadmissionpolicybindings' });

/**
 * Returns the validation of mutating policies and their bindings in a plane, by resource key. The validation applies
 * the rules of the kind, and then checks that the caller may read the parameters.
 */
export function paramChecks(kinds: readonly StoredResource[], plane: () => ControlPlane): Map<string, Checks> {
  const withCheck = (
    key: string,
    check: (draft: Draft, context: RequestContext) => Promise<FieldError[]>,
  ): [string, Checks] => {
    const kind = kinds.find((one) => resourceKey(one) === key);
    return [
      key,
      {
        async validate(draft, context, subresource) {
          const errors = (await kind?.validate?.(draft, context, subresource)) ?? [];
          return errors.length > 0 ? errors : await check(draft, context);
        },
      },
    ];
  };
  return new Map([
    withCheck(policyKey, (draft, context) => paramKindErrors(plane(), draft, context)),
    withCheck(bindingKey, (draft, context) =>
      paramRefErrors(plane(), draft, context, (name) => plane().kinds.get(policyKey)?.peek('', name)?.object),
    ),
  ]);
}
